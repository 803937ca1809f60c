#!/usr/bin/env bash
# Formatting of every source file that git knows, and clang-tidy over what ships; any finding fails.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
mapfile -t sources < <(git ls-files '*.h' '*.cpp')
clang-format --dry-run --Werror "${sources[@]}"

cmake --preset release >/dev/null
mapfile -t units < <(git ls-files 'runtime/*.cpp' 'exporter/*.cpp' 'examples/*.cpp')
printf '%s\n' "${units[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/release
echo "lint: ${#sources[@]} files are formatted, clang-tidy has nothing to say of ${#units[@]}"
