#!/usr/bin/env bash
# run.sh DEVICE HARNESS PYTHONPATH CLANG [--perf] [--embedded] SCRIPT|-m MODULE|-c CODE [ARGUMENTS]: the python3 of the PATH, to which torch's "cuda" is the
# device whose library is in the folder DEVICE. It is quick: the ROCM_PATH of CLANG and DEVICE is set if it has been made, and is made by torch's import.
set -euo pipefail
device=$1 harness=$2 here=$(dirname "$(readlink -f "$0")") report=""
export PYTHONPATH=$here:$3${PYTHONPATH:+:$PYTHONPATH} LD_LIBRARY_PATH=$device${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export FMHA950_DEVICE_DIR=$device
if [ -z "${ROCM_PATH:-}" ] && rocm=$(/usr/bin/python3 -I -B "$here/../rocm/tree.py" "$4" "$device" --existing) && [ -n "$rocm" ]; then
  export ROCM_PATH=$rocm PATH=$rocm/bin:$PATH
fi
shift 4
while :; do
  case "${1:-}" in
  --perf) # each process has a file of its own
    if [ ! -x "$harness" ]; then
      printf 'fmha950: device python --perf: %s is not there: build it (fmha950 build)\n' "$harness" >&2
      exit 2
    fi
    [ -n "${FMHA950_TIMING_REPORT:-}" ] || { report=$(mktemp -d) && export FMHA950_TIMING_REPORT=$report/%p.jsonl; }
    ;;
  --embedded) export FMHA950_EMBEDDED=1 ;;
  -h | --help)
    cat <<'END'
Runs a Python program to which torch's "cuda" is the embedded gfx950 (docs/python.md)
Usage: fmha950 device python [--perf] [--embedded] SCRIPT | -m MODULE | -c CODE [ARGUMENTS]

  --perf        Launches are modelled clock by clock: do_bench and autotuners of Triton answer with modelled milliseconds, and a table
                of all launches closes the run, unless FMHA950_TIMING_REPORT names a file for them (fmha950 device timings)
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
[ -n "$report" ] || exec python3 "$@"
trap 'rm -rf "$report"' EXIT
# bash would not heed a signal before a program in the foreground ends; one in the background it starts deaf to the keyboard's.
env --default-signal=INT,QUIT python3 "$@" <&0 &
python=$! heard=yes signal=""
trap 'heard=yes signal=15; kill -s TERM "$python" 2>/dev/null || true' TERM
trap 'heard=yes signal=1; kill -s HUP "$python" 2>/dev/null || true' HUP
trap 'heard=yes signal=2' INT # which the keyboard sends to both
while [ "$heard" = yes ]; do
  heard=no code=0
  wait "$python" || code=$?
done
# Of a program that ended as the signal came, wait may have no status of it any more (-1 or 127).
case $code in -1 | 127) [ -z "$signal" ] || code=$((128 + signal)) ;; esac
files=()
for file in "$report"/*.jsonl; do [ ! -s "$file" ] || files+=("$file"); done
if [ ${#files[@]} -gt 0 ]; then
  "$harness" device timings "${files[@]}" || true
elif [ -n "${FMHA950_TIMING:-}" ]; then
  echo "fmha950: --perf: nothing was timed: no launch, or none of FMHA950_TIMING = $FMHA950_TIMING" >&2
else
  echo "fmha950: --perf: nothing was launched" >&2
fi
exit "$code"
