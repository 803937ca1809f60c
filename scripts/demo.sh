#!/usr/bin/env bash
# The whole path on this machine: installs what is missing, builds, exports the example variant with
# the ring on, inspects the package, and runs its largest prefill graph on the host.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
{ cmake --preset release && cmake --build --preset release --target kimi3-export; } >&2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool=$PWD/build/release/bin/kimi3-export
cp examples/variants/k31-tp8.yaml "$work"
cd "$work"
mkdir -p artifacts/graphs artifacts/weights
for rows in 256 512 1024 2048 3072; do echo "prefill $rows" > "artifacts/graphs/prefill-$rows.graph"; done
head -c 1048576 /dev/zero > artifacts/weights/layer-00.bin

show() {
  echo
  echo "\$ $*"
  "$@"
}
kimi3-export() { "$tool" "$@"; }

unset "${!IGNITION_KIMI_@}" "${!B12X_PCIE_DMA_@}"
export IGNITION_KIMI_PREFILL_DMA_ROWS=3072 IGNITION_KIMI_PREFILL_DMA_BF16=1
echo "\$ export IGNITION_KIMI_PREFILL_DMA_ROWS=3072 IGNITION_KIMI_PREFILL_DMA_BF16=1"
show kimi3-export export --variant k31-tp8.yaml --artifacts artifacts --out k31-tp8
show kimi3-export inspect k31-tp8
show kimi3-export prove k31-tp8
show kimi3-export run k31-tp8 --graph prefill-3072
show kimi3-export run k31-tp8 --graph prefill-3072 --data cancelling

echo
echo "# The same package with the ring in FP32, then with the ring off: one identity, other plans."
show kimi3-export bake k31-tp8 --prefill-dma-bf16 0
show kimi3-export run k31-tp8 --graph prefill-3072 --data cancelling
show kimi3-export bake k31-tp8 --prefill-dma-rows 0
show kimi3-export run k31-tp8 --graph prefill-3072 --data cancelling
show kimi3-export verify k31-tp8
