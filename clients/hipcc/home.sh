# Sourced by what needs HIP's headers and device libraries: where they are.
own=${FMHA950_HIP_HOME:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/fmha950/hip} # what `fmha950 hipcc --setup` makes
rocm=${ROCM_PATH:-/opt/rocm}

# Sets `home` to ROCm, if it is new enough to have what gfx950 needs, else to what --setup made, and `bitcode` to the folder of
# device libraries there. Fails where neither has both.
find_home() {
  for home in "$rocm" "$own"; do
    [ -e "$home/include/hip/hip_runtime.h" ] || continue
    for bitcode in "$home"/amdgcn/bitcode "$home"/lib/llvm/lib/clang/*/lib/amdgcn/bitcode; do
      [ -e "$bitcode/oclc_isa_version_950.bc" ] && return
    done
  done
  home="" bitcode=""
  return 1
}
