// kimi3-export: the command table, and the one place that catches.
#include <fmt/format.h>

#include <array>
#include <new>
#include <string>
#include <vector>

#include "exporter/commands/command.h"
#include "kimi3/error.h"
#include "runtime/plan/text.h"

extern char** environ;  // POSIX: the environment as the process got it, repeated names included

namespace kimi3 {
namespace {

constexpr std::array kCommands{
    Command{"export", "make a package and bake its plan", run_export},
    Command{"bake", "plan again inside an existing package", run_bake},
    Command{"inspect", "show what a package will do, and why", run_inspect},
    Command{"prove", "prove every schedule of a baked plan again", run_prove},
    Command{"identity", "print the package hash", run_identity},
    Command{"verify", "hash everything again", run_verify},
    Command{"diff", "show what differs between two packages or plans", run_diff},
    Command{"run", "execute the baked reductions and check them", run_run},
};

std::string usage() {
  std::string text =
      "usage: kimi3-export COMMAND [OPTIONS]\n\n"
      "Bakes a proven, per-graph reduction plan into a model package.\n\nCommands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  text +=
      "\nkimi3-export COMMAND --help describes one, with examples. Exit status: 0 done or holds,\n"
      "1 does not hold, 2 malformed request or input, 3 the machine failed or could not check.\n";
  return text;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  const auto nearest = nearest_name(name, names, 2);
  throw malformed(fmt::format("unknown command {}", quoted(name)),
                  nearest ? fmt::format("did you mean {}?", *nearest)
                          : std::string("kimi3-export --help lists the commands"));
}

Environment current_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw malformed("no command", "kimi3-export --help lists the commands");
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_result(usage());
    return 0;
  }
  if (name == "--version") {
    print_result("kimi3-export " KIMI3_VERSION "\n");
    return 0;
  }
  const Command& command = find_command(name);
  return static_cast<int>(
      command.run({{arguments.begin() + 1, arguments.end()}, current_environment()}));
}

}  // namespace
}  // namespace kimi3

int main(int argc, char** argv) {
  try {
    return kimi3::dispatch({argv + 1, argv + argc});
  } catch (const kimi3::Error& error) {
    kimi3::print_error(error);
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    kimi3::print_error(kimi3::machine_failure("out of memory"));
  } catch (const std::exception& error) {
    kimi3::print_error(error);
  }
  return static_cast<int>(kimi3::ErrorKind::kMachine);
}
