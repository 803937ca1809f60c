#!/usr/bin/env bash
# Exports a package as a step of a build: the artifacts of the build go in, a package comes out, and
# the build fails if its identity is not the one that was released.
#
#   examples/build_package.sh ARTIFACTS VARIANT OUT [IDENTITY]
#
# The switches come from the environment, as for kimi3-export itself. KIMI3_EXPORT names the program.
set -euo pipefail

if [ $# -lt 3 ] || [ $# -gt 4 ]; then
  echo "usage: $0 ARTIFACTS VARIANT OUT [IDENTITY]" >&2
  exit 2
fi
artifacts=$1 variant=$2 out=$3 expected=${4:-}
tool=${KIMI3_EXPORT:-$(dirname "$0")/../build/release/bin/kimi3-export}

"$tool" export --variant "$variant" --artifacts "$artifacts" --out "$out"
if [ -n "$expected" ]; then
  "$tool" verify "$out" --identity "$expected"
else
  "$tool" verify "$out"
fi
