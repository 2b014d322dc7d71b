#!/usr/bin/env bash
# hipcc_test.sh WORK FMHA950 LIBRARY: `fmha950 hipcc` makes its headers and libraries under WORK, compiles single-source
# programs and refuses what it must. Programs check themselves, and the device's checks have nothing to say about them. Exits
# with 77 where PyPI is out of reach, or there is no apt-get for Debian's rocPRIM.
set -euo pipefail
work=$1 fmha950=$2 library=$3
here=$(dirname "$(readlink -f "$0")")
. "$here/pypi.sh"
export FMHA950_HIP_HOME=$work/hip FMHA950_CHECK=errors ROCM_PATH=/nowhere
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
fail() { printf 'hipcc test: %s\n' "$*" >&2; exit 1; }
hipcc() { "$fmha950" --no-install hipcc "$@"; }
passes() { # source, options
  local program=$output/$(basename "$1" .hip)
  hipcc -std=c++17 "$@" -o "$program" || fail "$1 does not compile"
  "$program" 2>"$output/said" || { cat "$output/said" >&2; fail "$1 fails"; }
  [ ! -s "$output/said" ] || { cat "$output/said" >&2; fail "$1 has hazards"; }
}

# Without headers it says what to do.
if FMHA950_HIP_HOME=$output/none hipcc "$here/programs/saxpy.hip" -o "$output/none" 2>"$output/said"; then fail "compiles without headers"; fi
grep -q "hipcc --setup" "$output/said" || fail "does not name --setup"

status=0
hipcc --setup >"$output/said" 2>&1 || status=$?
case $status in
0) ;;
6) setup_failed "$(cat "$output/said")" ;; # it did not get its wheel
*) cat "$output/said" >&2; fail "hipcc --setup ends with $status" ;;
esac
for program in "$here"/programs/*.hip; do passes "$program" -Wall -Werror; done
passes "$here/programs/saxpy.hip" -fgpu-default-stream=per-thread
nm -u "$output/saxpy" | grep -q "hipLaunchKernel_spt" || fail "the default stream per thread is not asked for"
readelf -d "$output/saxpy" | grep -q "runpath: \[/opt/rocm/lib:$(dirname "$library")\]" || fail "another run path"

# What kernels ask of the host: printf and the heap, and two ways to stop that say where.
services=$output/services
hipcc -std=c++17 -g "$here/services.hip" -o "$services" -Wall -Werror
"$services" printf 2>"$output/said" | sort >"$output/printed" || { cat "$output/said" >&2; fail "printf in a kernel fails"; }
printf 'item %s of 256: half is %s\n' 0 0.00 100 50.00 200 100.00 | diff - "$output/printed" || fail "printf in a kernel prints otherwise"
"$services" malloc 2>>"$output/said" || { cat "$output/said" >&2; fail "malloc in a kernel fails"; }
[ ! -s "$output/said" ] || { cat "$output/said" >&2; fail "printf or malloc in a kernel has hazards"; }
stops() { # what, then what is said of it
  local what=$1 status=0
  shift
  "$services" "$what" >/dev/null 2>"$output/said" || status=$?
  [ "$status" = 4 ] || fail "after $what the program ends with $status"
  if grep "^hazard" "$output/said" | grep -qv "^hazard fault:"; then cat "$output/said" >&2; fail "$what has hazards"; fi
  for said in "$@"; do grep -qF -- "$said" "$output/said" || { cat "$output/said" >&2; fail "$what does not say: $said"; }; done
}
stops assert "services.hip:$(grep -n '  assert(' "$here/services.hip" | cut -d: -f1): " "item is beyond the limit" \
  "kernel _Z7assertsi, workgroup (2, 0, 0), wave 0"
stops abort "s_trap 2: the kernel called" "kernel _Z6abortsi, workgroup (0, 0, 0), wave 0"

# So it does for what looks for ROCm: by its hipcc, and by its clang.
export XDG_CACHE_HOME=$output/cache
tree=$("$fmha950" --no-install device rocm-path) || fail "there is no tree for ROCM_PATH"
ROCM_PATH=$tree "$tree/bin/hipcc" "$here/programs/saxpy.hip" -o "$output/by_tree" && "$output/by_tree" >/dev/null || fail "the tree's hipcc fails"
ROCM_PATH=$tree "$tree/llvm/bin/clang++" -x hip --offload-arch=gfx950 -O3 -D__AMDGCN_WAVEFRONT_SIZE=64 --no-offload-compress \
  "$here/programs/saxpy.hip" "-L$tree/lib" "-Wl,-rpath,$tree/lib" -o "$output/by_clang" && "$output/by_clang" >/dev/null || fail "the tree's clang fails"

# And for CMake's language HIP, which asks rocm_agent_enumerator for the architecture.
mkdir "$output/cmake"
printf '%s\n' "cmake_minimum_required(VERSION 3.21)" "project(saxpy LANGUAGES HIP)" "add_executable(saxpy $here/programs/saxpy.hip)" >"$output/cmake/CMakeLists.txt"
(export ROCM_PATH=$tree PATH=$tree/bin:$PATH HIPFLAGS=--offload-arch=gfx950
 cmake -S "$output/cmake" -B "$output/cmake/build" && cmake --build "$output/cmake/build") >"$output/said" 2>&1 || { cat "$output/said" >&2; fail "CMake fails"; }
LD_LIBRARY_PATH=$tree/lib "$output/cmake/build/saxpy" >/dev/null || fail "the program of CMake fails"
grep -q "CMAKE_HIP_ARCHITECTURES:STRING=gfx950$" "$output/cmake/build/CMakeCache.txt" || fail "CMake takes another architecture"

# A ROCm that knows gfx950 serves as well, without any --setup; one that does not is passed over.
ROCM_PATH=$work/hip FMHA950_HIP_HOME=/nowhere passes "$here/programs/saxpy.hip"
mkdir -p "$output/old/amdgcn/bitcode"
cp -r "$work/hip/include" "$output/old"
ROCM_PATH=$output/old passes "$here/programs/saxpy.hip"
if ROCM_PATH=$output/old FMHA950_HIP_HOME=/nowhere hipcc "$here/programs/saxpy.hip" -o "$output/none" 2>/dev/null; then
  fail "compiles with libraries that do not know gfx950"
fi

# Compiled and linked in two steps; errors are the compiler's.
hipcc -c "$here/programs/saxpy.hip" -o "$output/saxpy.o"
hipcc "$output/saxpy.o" -o "$output/two_steps"
"$output/two_steps" >/dev/null
echo 'no program' >"$output/wrong.hip"
if hipcc "$output/wrong.hip" -o "$output/wrong" 2>/dev/null; then fail "compiles what is no program"; fi

# Debian's rocPRIM is HIP 5's, hence the macro (docs/device.md).
if [ ! -e "$work/rocprim" ]; then
  command -v apt-get >/dev/null || { echo "skipped: no apt-get, which gets librocprim-dev"; exit 77; }
  (cd "$output" && apt-get -qq download librocprim-dev) >"$output/said" 2>&1 || setup_failed "$(cat "$output/said")" # no network is no PyPI, too
  dpkg -x "$output"/librocprim-dev*.deb "$output/debian"
  mkdir "$work/rocprim.new"
  mv "$output/debian/usr/include/rocprim" "$work/rocprim.new"
  mv "$work/rocprim.new" "$work/rocprim"
fi
passes "$here/rocprim.hip" -w -isystem "$work/rocprim" -DgcnArch=major
