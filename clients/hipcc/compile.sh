#!/usr/bin/env bash
# compile.sh CLANG DEVICE ARGUMENTS: clang++ for single-source HIP programs, as ROCm's hipcc would call it (docs/device.md).
# DEVICE is the folder of the embedded device's library, which the program is linked to.
set -euo pipefail
clang=$1 device=$2
shift 2
here=$(dirname "$(readlink -f "$0")")
. "$here/home.sh"

if [ "${1:-}" = --setup ]; then
  [ $# -eq 1 ] || { echo "fmha950 hipcc: --setup takes no more arguments" >&2; exit 3; }
  bash "$here/setup.sh" "$clang" "$own"
  echo "$own"
  exit
fi

if ! find_home; then
  echo "fmha950 hipcc: no HIP headers and device libraries for gfx950 in $rocm or $own: run 'fmha950 hipcc --setup' once" >&2
  exit 6
fi

# A source is HIP whatever its name says, as hipcc has it; objects and libraries are left alone.
arguments=() optimise=-O3 target=--offload-arch=gfx950 links=yes is_value=no
for argument in "$@"; do
  if [ $is_value = yes ]; then
    arguments+=("$argument") is_value=no
    continue
  fi
  case "$argument" in
  -o | -include | -MF | -MT | -MQ | -I | -isystem | -D | -U | -L | -x | -Xclang | -Xlinker) arguments+=("$argument") is_value=yes ;;
  -O*) arguments+=("$argument") optimise= ;;
  --offload-arch=*) arguments+=("$argument") target= ;;
  -c | -S | -E | -M | -MM | -fsyntax-only | --cuda-device-only | --offload-device-only) arguments+=("$argument") links=no ;;
  -*) arguments+=("$argument") ;;
  *.hip | *.cpp | *.cc | *.cxx | *.cu) arguments+=(-x hip "$argument" -x none) ;;
  *) arguments+=("$argument") ;;
  esac
done

# LD_LIBRARY_PATH goes before both folders: it is how a program is sent to the other library.
link=()
[ $links = no ] || link=(-no-hip-rt "-L$device" -lamdhip64 -Wl,-rpath,/opt/rocm/lib "-Wl,-rpath,$device")
# The device takes no compressed bundles. HIP's headers of before 7 ask for a macro that clang 22 has no more.
exec "$clang" --driver-mode=g++ --rocm-path="$home" --rocm-device-lib-path="$bitcode" ${target:+"$target"} ${optimise:+"$optimise"} \
  --no-offload-compress -D__AMDGCN_WAVEFRONT_SIZE=64 -Wno-unused-command-line-argument "${arguments[@]}" ${link[@]+"${link[@]}"}
