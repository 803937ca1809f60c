#!/bin/sh
# check_identity.sh VARIANT ARTIFACTS RECORDED: builds a package twice, with the switches off and on,
# and fails unless both have one identity, verify, and have the identity in the file RECORDED.
#
# A switch says how a package reduces, never what it is. Commit RECORDED beside the variant; when the
# package is meant to change, the new identity is what this prints:
#
#     KIMI3_EXPORT=build/release/bin/kimi3-export \
#         examples/ci/check_identity.sh k31-tp8.yaml build/artifacts k31-tp8.identity
set -eu

if [ $# -ne 3 ]; then
  echo "usage: check_identity.sh VARIANT ARTIFACTS RECORDED" >&2
  exit 2
fi
variant=$1
artifacts=$2
recorded=$3
tool=${KIMI3_EXPORT:-kimi3-export}

expected=$(cat "$recorded")
if [ -z "$expected" ]; then
  echo "check_identity: $recorded is empty: that is no identity" >&2
  exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Only the switches differ: what the caller's environment says of them does not count.
unset IGNITION_KIMI_PREFILL_DMA_BF16 B12X_PCIE_DMA_PIECES
IGNITION_KIMI_PREFILL_DMA_ROWS=0 \
  "$tool" export --variant "$variant" --artifacts "$artifacts" --out "$scratch/off" >/dev/null
IGNITION_KIMI_PREFILL_DMA_ROWS=${KIMI3_CHECK_ROWS:-3072} IGNITION_KIMI_PREFILL_DMA_BF16=1 \
  "$tool" export --variant "$variant" --artifacts "$artifacts" --out "$scratch/on" >/dev/null

status=0
off=$("$tool" identity "$scratch/off")
on=$("$tool" identity "$scratch/on")
echo "switches off  $off"
echo "switches on   $on"
echo "recorded      $expected"
if [ "$off" != "$on" ]; then
  echo "check_identity: the switches changed the identity; kimi3-export diff shows what" >&2
  status=1
fi
if [ "$off" != "$expected" ]; then
  echo "check_identity: the identity is not the recorded one" >&2
  status=1
fi
"$tool" verify "$scratch/off" --identity "$expected" >/dev/null || status=1
"$tool" verify "$scratch/on" --identity "$expected" >/dev/null || status=1
exit $status
