#!/usr/bin/env bash
# setup.sh CLANG FOLDER: makes FOLDER a small ROCm for clang: HIP's headers, ocml.bc and ockl.bc from a Triton wheel of
# PyPI, and beside them the control libraries, which no wheel has. Everything is made aside and moved last, so that a
# FOLDER that exists is complete; one of the same wheel is kept.
set -euo pipefail
clang=$1 folder=$2
here=$(dirname "$(readlink -f "$0")")
wheel=triton==3.4.0 # its headers are HIP 6.2's

fail() { printf 'fmha950 hipcc: %s\n' "$*" >&2; exit 6; }

[ "$(cat "$folder/wheel" 2>/dev/null)" != "$wheel" ] || exit 0
mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 -c 'import ensurepip' 2>/dev/null || fail "no venv: apt-get install python3-venv"
/usr/bin/python3 -m venv "$work/venv" >&2
"$work/venv/bin/pip" -q --disable-pip-version-check download --no-deps -d "$work" "$wheel" ||
  fail "pip did not get $wheel from PyPI"
/usr/bin/python3 - "$work" <<'PYTHON'
import glob, sys, zipfile
work = sys.argv[1]
(wheel,) = glob.glob(f"{work}/*.whl")
with zipfile.ZipFile(wheel) as archive:
    inside = "triton/backends/amd/"
    wanted = (inside + "include/", inside + "lib/ocml.bc", inside + "lib/ockl.bc")
    archive.extractall(work, [name for name in archive.namelist() if name.startswith(wanted)])
PYTHON

tree=$work/tree bitcode=$work/tree/amdgcn/bitcode
mkdir -p "$bitcode" "$tree/bin"
mv "$work/triton/backends/amd/include" "$tree/include"
mv "$work"/triton/backends/amd/lib/*.bc "$bitcode"
version() { sed -n "s/^#define HIP_VERSION_$1  *//p" "$tree/include/hip/hip_version.h"; }
# What clang looks for to know the version; its format is clang's.
printf 'HIP_VERSION_%s=%s\n' MAJOR "$(version MAJOR)" MINOR "$(version MINOR)" PATCH "$(version PATCH)" >"$tree/bin/.hipVersion"

control() { # name, definition
  "$clang" -x cl --target=amdgcn-amd-amdhsa -nogpulib -O2 -c -emit-llvm "-D$2" "$here/control.cl" -o "$bitcode/$1.bc"
}
control oclc_isa_version_950 ISA=9500 # 1000 major + 100 minor + stepping
for abi in 500 600; do control "oclc_abi_version_$abi" "ABI=$abi"; done
for option in wavefrontsize64:WAVE64 finite_only:FINITE_ONLY unsafe_math:UNSAFE_MATH daz_opt:DAZ correctly_rounded_sqrt:ROUNDED_SQRT; do
  control "oclc_${option%:*}_on" "${option#*:}=1"
  control "oclc_${option%:*}_off" "${option#*:}=0"
done
control opencl NOTHING # clang takes a folder without it for none of device libraries

echo "$wheel" >"$tree/wheel"
rm -rf "$folder"
mv "$tree" "$folder"
