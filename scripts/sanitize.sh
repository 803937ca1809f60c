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
threaded=(host_executor_test runtime_test)
cmake --build --preset tsan --target "${threaded[@]}"
for program in "${threaded[@]}"; do
  "build/tsan/bin/$program" --gtest_brief=1
done
