#!/usr/bin/env bash
# run.sh CLANG DEVICE ARGUMENTS: the python3 of the PATH, whose HIP library is the one in the folder DEVICE, and whose Triton
# links with CLANG's LLVM. What looks for ROCM_PATH, or for ROCm's tools on the PATH, finds those of the device.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
linker=$(dirname "$(readlink -f "$(command -v "$1")")")/ld.lld
device=$2
if rocm=$(/usr/bin/python3 -B "$here/../rocm/tree.py" "$1" "$device" --quiet); then
  export ROCM_PATH=$rocm PATH=$rocm/bin:$PATH
fi # else it has said why; most programs do without
shift 2
export LD_LIBRARY_PATH=$device${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH}
export TRITON_LIBHIP_PATH=$device/libamdhip64.so TRITON_HIP_LLD_PATH=$linker
exec python3 "$@"
