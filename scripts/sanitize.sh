#!/usr/bin/env bash
# The tests, built by clang with AddressSanitizer and UndefinedBehaviorSanitizer, and those that have
# threads with ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
export UBSAN_OPTIONS=print_stacktrace=1
for preset in asan tsan; do
  cmake --preset "$preset" >/dev/null
done
cmake --build --preset asan
ctest --preset asan --parallel "$(nproc)" "$@"
cmake --build --preset tsan --target host_tests
ctest --preset tsan --parallel "$(nproc)" --label-regex threads "$@"
