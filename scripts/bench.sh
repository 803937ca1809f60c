#!/usr/bin/env bash
# scripts/bench.sh NAME: builds and runs one benchmark, and leaves build/release/bench/NAME.json, whose
# `ratios` are the figures that count: machines are noisy, so only ratios within one run are.
set -euo pipefail
cd "$(dirname "$0")/.."

names=$(basename -s _bench.cpp bench/*_bench.cpp | paste -sd' ')
if [ $# -ne 1 ] || [ ! -e "bench/$1_bench.cpp" ]; then
  echo "usage: scripts/bench.sh NAME, one of: $names" >&2
  exit 2
fi
scripts/install_dependencies.sh
{ cmake --preset release && cmake --build --preset release --target "$1_bench"; } >&2
mkdir -p build/release/bench
exec "build/release/bin/$1_bench" "build/release/bench/$1.json"
