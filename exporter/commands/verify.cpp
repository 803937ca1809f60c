#include <fmt/format.h>

#include "exporter/commands/command.h"
#include "exporter/commands/operation_control.h"
#include "exporter/identity.h"
#include "exporter/plan_verification.h"
#include "kimi3/error.h"
#include "runtime/plan/sha256.h"
#include "runtime/plan/text.h"

namespace kimi3 {
namespace {

namespace po = boost::program_options;

ArgumentForm form() {
  ArgumentForm form{
      .command = "verify",
      .usage = "PACKAGE [--identity D] [--plan D] [--quick] [OPTIONS]",
      .description =
          "Hashes every file again and compares it with the manifest, and checks that the plan is\n"
          "whole, is the package's own, and is what this build would bake. What does not hold is\n"
          "listed on standard output, a line each, and the exit status is 1.",
      .examples =
          "  kimi3-export verify k31-tp8\n"
          "  kimi3-export verify k31-tp8 --identity sha256:…   # and it is this very one\n",
      .positionals = {"PACKAGE"}};
  form.options.add_options()("identity", po::value<std::string>()->value_name("D"),
                             "the identity that it must have");
  form.options.add_options()("plan", po::value<std::string>()->value_name("D"),
                             "the plan digest that it must have");
  form.options.add_options()("quick", "manifest, sizes and plan only; no file is hashed");
  add_control_options(form.options);
  return form;
}

std::optional<std::string> digest_option(const Arguments& arguments, const std::string& name) {
  std::optional<std::string> text = arguments.optional_text(name);
  if (text && !is_digest(*text)) {
    throw malformed(fmt::format("--{} {} is no digest", name, quoted(*text)),
                    "a digest is sha256: and 64 hexadecimal digits, in lower case");
  }
  return text;
}

std::string list_problems(const VerifyReport& report, const VerifyOptions& options) {
  std::string text;
  if (report.identity_differs) {
    text += fmt::format("identity: the package is {}, not {}\n", report.manifest.identity,
                        *options.expected_identity);
  }
  for (const Problem& problem : report.problems) {
    text += fmt::format("{}: {}{}{}\n", to_string(problem.kind), problem.path,
                        problem.detail.empty() ? "" : ": ", problem.detail);
  }
  const auto listed = static_cast<std::int64_t>(report.problems.size());
  if (report.problem_count > listed) {
    text += fmt::format("and {} more\n", report.problem_count - listed);
  }
  return text;
}

std::string what_was_checked(const VerifyReport& report, bool quick) {
  if (quick) return fmt::format("{} files sound by name and size, none hashed", report.files_sound);
  return fmt::format("{} files sound, {} bytes hashed", report.files_sound, report.bytes_hashed);
}

}  // namespace

Outcome run_verify(const Invocation& invocation) {
  ArgumentForm arguments_form = form();
  const Arguments arguments = parse_arguments(arguments_form, invocation);
  if (arguments.help) return Outcome::kHolds;
  const std::string path = arguments.text("PACKAGE");
  const VerifyOptions options{.quick = arguments.has("quick"),
                              .expected_identity = digest_option(arguments, "identity")};
  const auto expected_plan = digest_option(arguments, "plan");
  VerifyReport report;
  {
    const OperationControl control(arguments);
    report = verify_package(path, options, control.run_control());
  }
  const PlanVerification plan = verify_plan(PackageDirectory(path), report.manifest, expected_plan);
  std::string problems = list_problems(report, options);
  for (const std::string& finding : plan.findings) problems += fmt::format("plan: {}\n", finding);
  const bool holds = report.ok() && plan.findings.empty();
  print_result(fmt::format("identity  {}\nplan      {}\nchecked   {}\n{}{}\n",
                           report.manifest.identity, plan.digest.empty() ? "-" : plan.digest,
                           what_was_checked(report, options.quick), problems,
                           holds ? "verified" : "not verified"));
  if (report.unreadable) throw machine_failure(fmt::format("{} could not all be checked", path));
  return holds ? Outcome::kHolds : Outcome::kDoesNotHold;
}

}  // namespace kimi3
