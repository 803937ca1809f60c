#include "exporter/commands/command.h"
#include "runtime/plan/package_directory.h"

namespace kimi3 {

Outcome run_identity(const Invocation& invocation) {
  ArgumentForm form{
      .command = "identity",
      .usage = "PACKAGE",
      .description =
          "Prints the package hash: SHA-256 of its manifest, which lists every file. It reads the\n"
          "manifest alone; verify compares the files with it.",
      .examples =
          "  kimi3-export identity k31-tp8\n"
          "  sha256sum k31-tp8/manifest.json     # the same digits\n",
      .positionals = {"PACKAGE"}};
  const Arguments arguments = parse_arguments(form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const PackageDirectory package(arguments.text("PACKAGE"));
  print_result(package.read_manifest().identity + '\n');
  return Outcome::kHolds;
}

}  // namespace kimi3
