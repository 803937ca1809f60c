#!/usr/bin/env bash
# Installs the distribution's packages that the build and the tests need, if any is missing.
set -euo pipefail

packages=(
  g++ clang clang-format clang-tidy cmake ninja-build pkg-config
  libyaml-cpp-dev libboost-program-options-dev libssl-dev nlohmann-json3-dev libfmt-dev libhwy-dev
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev
  python3-jsonschema
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}" >&2
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
