// What a sub-command is, and how its arguments are read.
#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/switches.h"

namespace kimi3 {

// What a command sees of the outside.
struct Invocation {
  std::vector<std::string> arguments;  // after the command's name
  Environment environment;
};

// The exit status of a command that did its work; errors are thrown.
enum class Outcome { kHolds = 0, kDoesNotHold = 1 };

struct Command {
  std::string_view name;
  std::string_view summary;  // one line, for the list of commands
  Outcome (*run)(const Invocation&);
};

Outcome run_export(const Invocation&);
Outcome run_bake(const Invocation&);
Outcome run_inspect(const Invocation&);
Outcome run_prove(const Invocation&);
Outcome run_identity(const Invocation&);
Outcome run_verify(const Invocation&);
Outcome run_diff(const Invocation&);
Outcome run_run(const Invocation&);

// The form of a command's arguments and its help text.
struct ArgumentForm {
  std::string_view command;
  std::string_view usage;        // after "kimi3-export COMMAND "
  std::string_view description;  // whole sentences
  std::string_view examples;     // lines that can be pasted
  std::vector<std::string> positionals;
  boost::program_options::options_description options{"Options"};
};

// The arguments, parsed; `--help` is answered on standard output, and then `help` is true.
struct Arguments {
  boost::program_options::variables_map values;
  bool help = false;

  bool has(const std::string& name) const { return values.count(name) != 0; }
  std::string text(const std::string& name) const { return values[name].as<std::string>(); }
  std::optional<std::string> optional_text(const std::string& name) const {
    return has(name) ? std::optional(text(name)) : std::nullopt;
  }
};

// Throws kMalformed for what the form does not allow: an unknown option (with the nearest known one
// as a hint), an option without its value or given twice, a missing or superfluous positional.
Arguments parse_arguments(ArgumentForm& form, const Invocation& invocation);

// A whole number given to an option, range-checked.
std::int64_t integer_option(const Arguments& arguments, const std::string& name, std::int64_t min,
                            std::int64_t max);
// One of a few words given to an option; the message names them all.
std::string word_option(const Arguments& arguments, const std::string& name,
                        std::span<const std::string_view> words);

// Results on standard output, whole or with an error: a full disk or a closed pipe is kMachine.
void print_result(std::string_view text);
// "kimi3-export: note: TEXT" on standard error.
void print_notes(const std::vector<std::string>& notes);
void print_error(const std::exception& error);

}  // namespace kimi3
