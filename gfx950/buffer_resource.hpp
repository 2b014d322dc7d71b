#pragma once
// Buffer resource descriptors (V#, machine_gfx950.md section 4.1) of raw byte buffers: stride 0, offsets in
// bytes, loads beyond `bytes` return 0 and stores are dropped. Offsets are 32 bits wide and wrap, so one
// descriptor reaches at most 4 GiB: larger memory is reached by 64-bit arithmetic on the base.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

using BufferResource = __amdgpu_buffer_rsrc_t;

// Word 3 of a raw buffer: only its data format matters and must not be 0 (ISA 9.1.4, machine_gfx950.md
// section 4.1).
constexpr int raw_buffer_word3 = 0x00020000;

FMHA950_INLINE BufferResource raw_buffer(const void* base, uint32_t bytes) {
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, bytes, raw_buffer_word3);
}

} // namespace fmha950::gfx950
