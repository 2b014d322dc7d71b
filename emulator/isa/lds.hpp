#pragma once
// LDS addresses of the 64 lanes, and what lies outside the workgroup's allocation: loads read 0 there, stores
// are dropped (machine_gfx950.md section 3).

#include "emulator/isa/access.hpp"

namespace fmha950::isa::FMHA950_SIMD {

// VGPR + offset; that the sum wraps at 32 bits is a guess (LLVM folds offsets onto negative bases).
FMHA950_INLINE void lds_addresses(Wave& wave, Access& access, const Instruction& in) {
  access.lanes = wave.exec();
  store_lanes(access.lds_address, load_lanes<uint32_t>(wave.lanes(in.vaddr)));
}

// True when `bytes` at address + offset are inside the allocation for every lane that takes part. Then lanes
// that do not take part are given a harmless address, so that whole registers can be moved without asking.
FMHA950_INLINE bool all_in_lds(const Wave& wave, const Access& access, uint32_t offset, uint32_t bytes,
                               Dword64& address) {
  auto sum = load_lanes<uint32_t>(access.lds_address) + offset;
  const uint32_t size = wave.workgroup->lds_bytes;
  if (size < bytes) return false;
  const uint64_t outside = lanes_true(sum > size - bytes);
  if (outside & access.lanes) return false;
  if (outside) sum = blend(sum, Lanes<uint32_t>{}, outside);
  store_lanes(address, sum);
  return true;
}

template <class Shape>
FMHA950_INLINE void lds_load(Wave& wave, Access& access, uint32_t offset, Dword64* to) {
  const uint8_t* lds = wave.workgroup->lds;
  alignas(64) Dword64 address;
  if (all_in_lds(wave, access, offset, Shape::bytes, address)) [[likely]] {
    gather<Shape>(to, [&](int l) __attribute__((always_inline)) { return lds + address[l]; });
    return;
  }
  for_each_lane(access.lanes, [&](int l) {
    uint8_t bytes[16] = {};
    const uint64_t begin = static_cast<uint32_t>(access.lds_address[l] + offset);
    for (uint32_t b = 0; b < Shape::bytes && begin + b < wave.workgroup->lds_bytes; ++b)
      bytes[b] = lds[begin + b];
    Lane<Shape>::load(to, l, bytes);
  });
}

template <class Shape>
FMHA950_INLINE void lds_store(Wave& wave, Access& access, uint32_t offset, const Dword64* from) {
  uint8_t* lds = wave.workgroup->lds;
  alignas(64) Dword64 address;
  if (all_in_lds(wave, access, offset, Shape::bytes, address)) [[likely]] {
    scatter<Shape>(
        from, [&](int l) __attribute__((always_inline)) { return lds + address[l]; }, access.lanes);
    return;
  }
  for_each_lane(access.lanes, [&](int l) {
    uint8_t bytes[16];
    Lane<Shape>::store(from, l, bytes);
    const uint64_t begin = static_cast<uint32_t>(access.lds_address[l] + offset);
    for (uint32_t b = 0; b < Shape::bytes && begin + b < wave.workgroup->lds_bytes; ++b)
      lds[begin + b] = bytes[b];
  });
}

} // namespace fmha950::isa::FMHA950_SIMD
