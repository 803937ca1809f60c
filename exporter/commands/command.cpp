#include "exporter/commands/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>

#include "kimi3/error.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;

constexpr std::size_t kMaxEdits = 3;

std::vector<std::string> option_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) {
    names.push_back(option->canonical_display_name(po::command_line_style::allow_long));
  }
  return names;
}

std::string nearest_option(std::string_view given, const po::options_description& options) {
  const std::vector<std::string> names = option_names(options);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = nearest_name(given, views, kMaxEdits);
  return nearest ? fmt::format("did you mean {}?", *nearest) : std::string();
}

[[noreturn]] void refuse(const ArgumentForm& form, std::string_view what, std::string hint = {}) {
  if (hint.empty()) hint = fmt::format("see kimi3-export {} --help", form.command);
  throw malformed(fmt::format("{}: {}", form.command, what), std::move(hint));
}

void print_help(const ArgumentForm& form) {
  std::ostringstream options;
  options << form.options;
  print_result(fmt::format("usage: kimi3-export {} {}\n\n{}\n\n{}\nExamples:\n{}\n", form.command,
                           form.usage, form.description, options.str(), form.examples));
}

po::variables_map parse(const ArgumentForm& form, const po::options_description& all,
                        const std::vector<std::string>& arguments) {
  po::positional_options_description positions;
  for (const std::string& name : form.positionals) positions.add(name.c_str(), 1);
  // No guessing: an abbreviated option would change its meaning when another one is added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments).options(all).positional(positions).style(style).run(),
        values);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    refuse(form, fmt::format("unknown option {}", quoted(name)),
           nearest_option(name, form.options));
  } catch (const po::too_many_positional_options_error&) {
    refuse(form, "too many arguments");
  } catch (const po::error& error) {
    refuse(form, error.what());
  }
  return values;
}

}  // namespace

Arguments parse_arguments(ArgumentForm& form, const Invocation& invocation) {
  form.options.add_options()("help,h", "print this text");
  po::options_description all;
  all.add(form.options);
  po::options_description hidden;
  for (const std::string& name : form.positionals) {
    hidden.add_options()(name.c_str(), po::value<std::string>());
  }
  all.add(hidden);
  Arguments result;
  if (std::find(invocation.arguments.begin(), invocation.arguments.end(), "--help") !=
          invocation.arguments.end() ||
      std::find(invocation.arguments.begin(), invocation.arguments.end(), "-h") !=
          invocation.arguments.end()) {
    print_help(form);
    result.help = true;
    return result;
  }
  result.values = parse(form, all, invocation.arguments);
  for (const std::string& name : form.positionals) {
    if (!result.has(name)) refuse(form, fmt::format("{} is missing", name));
  }
  return result;
}

std::int64_t integer_option(const Arguments& arguments, const std::string& name, std::int64_t min,
                            std::int64_t max) {
  const std::string text = arguments.text(name);
  const auto value = parse_canonical_integer(text);
  if (!value || *value < min || *value > max) {
    throw malformed(
        fmt::format("--{} {} is not a whole number from {} to {}", name, quoted(text), min, max));
  }
  return *value;
}

std::string word_option(const Arguments& arguments, const std::string& name,
                        std::span<const std::string_view> words) {
  std::string text = arguments.text(name);
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    throw malformed(
        fmt::format("--{} {} is not one of {}", name, quoted(text), fmt::join(words, ", ")));
  }
  return text;
}

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw system_failure("write", "standard output", errno);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "kimi3-export: note: {}\n", note);
}

void print_error(const std::exception& error) {
  fmt::print(stderr, "kimi3-export: error: {}\n", error.what());
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours != nullptr && !ours->hint().empty()) fmt::print(stderr, "hint: {}\n", ours->hint());
}

}  // namespace kimi3
