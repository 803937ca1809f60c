#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Arguments go to ctest: scripts/test.sh -R ring
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
cmake --preset release
cmake --build --preset release
ctest --preset release --output-on-failure --parallel "$(nproc)" "$@"
