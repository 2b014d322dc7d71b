#!/usr/bin/env bash
# run.sh DEVICE PYTHONPATH [--perf] [--embedded] SCRIPT|-m MODULE|-c CODE [ARGUMENTS]: the python3 of the PATH, to which torch's "cuda" is the
# device whose library is in the folder DEVICE. Nothing is started besides: it is quick.
set -euo pipefail
device=$1 here=$(dirname "$(readlink -f "$0")")
export PYTHONPATH=$here:$2${PYTHONPATH:+:$PYTHONPATH} LD_LIBRARY_PATH=$device${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export FMHA950_DEVICE_DIR=$device
shift 2
while :; do
  case "${1:-}" in
  --perf) export FMHA950_TIMING=${FMHA950_TIMING:-samples} ;;
  --embedded) export FMHA950_EMBEDDED=1 ;;
  -h | --help)
    cat <<'END'
Runs a Python program to which torch's "cuda" is the embedded gfx950 (docs/python.md)
Usage: fmha950 device python [--perf] [--embedded] SCRIPT | -m MODULE | -c CODE [ARGUMENTS]

  --perf        Launches are modelled clock by clock: do_bench and autotuners of Triton answer with modelled milliseconds
  --embedded    The embedded device even where torch sees a GPU
  -h, --help    This text
The Python is the python3 of the PATH, with the torch and triton that it has. FMHA950_CHECK=errors and the device's other variables: docs/device.md
END
    exit
    ;;
  --[a-z]*)
    printf 'fmha950: device python: option %s: must be --perf or --embedded; what is Python'\''s stands behind the script, -m or -c\n' "$1" >&2
    exit 2
    ;;
  *) break ;;
  esac
  shift
done
exec python3 "$@"
