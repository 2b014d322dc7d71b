#pragma once
// Device memory of the 64 lanes: what buffer, global, scratch and flat instructions share once each has
// computed its addresses.

#include "emulator/isa/access.hpp"

namespace fmha950::isa::FMHA950_SIMD {

// Lanes out of range read this instead; long enough for four dwords 256 bytes apart.
alignas(64) constexpr uint8_t zeros[1024] = {};

FMHA950_INLINE uint8_t* host(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }
FMHA950_INLINE uint64_t dropped_somewhere(const Access& access) {
  return access.dropped[0] | access.dropped[1] | access.dropped[2] | access.dropped[3];
}
// Where byte `b` of lane l's access lies: swizzled accesses have their dwords dword_stride apart.
FMHA950_INLINE uint64_t byte_address(const Access& access, int l, uint64_t b) {
  const uint64_t address = access.address[l];
  if (!(access.swizzled >> l & 1)) return address + b;
  const uint64_t in_dwords = (address & 3) + b;
  return (address & ~uint64_t{3}) + in_dwords / 4 * access.dword_stride + in_dwords % 4;
}

// Some lane is partly in range, or swizzled unlike the others, or across two dwords that are not neighbours.
FMHA950_INLINE bool is_irregular(const Access& access, uint32_t bytes) {
  if (access.lanes & dropped_somewhere(access) & ~access.dropped[0]) return true;
  if (!access.swizzled) return false;
  const auto in_dword = __builtin_convertvector(load_lanes<uint64_t>(access.address), Lanes<uint32_t>) & 3;
  const uint64_t across = lanes_true(in_dword + (bytes < 4 ? bytes : 4) > 4);
  return access.swizzled != access.lanes || across & access.lanes;
}

FMHA950_SHARED inline void check_irregular(Wave& wave, const Access& access, uint32_t bytes, bool write) {
  for_each_lane(access.lanes & ~access.dropped[0], [&](int l) {
    uint64_t last = bytes - 1;
    while (last > 3 && access.dropped[last / 4] >> l & 1) last -= 4;
    const uint64_t begin = access.address[l];
    wave.workgroup->check.require(begin, byte_address(access, l, last) + 1 - begin, write, l);
  });
}

// Checks every lane of `access.lanes` against the allocations, and gives lanes that are out of range, or do
// not take part, the address of zeros, so that whole registers can be loaded without asking.
FMHA950_SHARED inline void check_addresses(Wave& wave, Access& access, uint32_t bytes, bool write) {
  access.valid = access.lanes & ~dropped_somewhere(access);
  access.irregular = is_irregular(access, bytes);
  if (access.irregular) [[unlikely]]
    return check_irregular(wave, access, bytes, write);
  const auto nowhere = Lanes<uint64_t>{} + reinterpret_cast<uint64_t>(zeros);
  if (!access.valid) return store_lanes(access.address, nowhere);
  auto address = load_lanes<uint64_t>(access.address);
  const uint64_t first = access.address[__builtin_ctzll(access.valid)];
  if (access.valid != all_lanes) address = blend(Lanes<uint64_t>{} + first, address, access.valid);
  const uint64_t low = __builtin_reduce_min(address), high = __builtin_reduce_max(address);
  const uint64_t span = access.swizzled ? (bytes - 1) / 4 * access.dword_stride + 4 : bytes;
  if (!wave.workgroup->check.covers(low, high + span)) [[unlikely]]
    for_each_lane(access.valid,
                  [&](int l) { wave.workgroup->check.require(access.address[l], span, write, l); });
  if (access.valid != all_lanes) store_lanes(access.address, blend(nowhere, address, access.valid));
}

// Bytes of one lane of an irregular access; those out of range are left alone.
template <class Move>
FMHA950_INLINE void for_each_byte(const Access& access, int l, uint32_t bytes, Move move) {
  for (uint32_t b = 0; b < bytes; ++b)
    if (!(access.dropped[b / 4] >> l & 1)) move(b, host(byte_address(access, l, b)));
}

// Kernels read streams: behind what sixteen bytes a lane take there is mostly what the next such load takes, of this
// wave or its neighbour. The host fetches it meanwhile. A prefetch of what is not there does nothing.
FMHA950_INLINE void fetch_ahead(const Access& access) {
  constexpr int lanes_of_line = 4, bytes_of_wave = 1024;
  for (int l = 0; l < 64; l += lanes_of_line) __builtin_prefetch(host(access.address[l] + bytes_of_wave));
}

template <class Shape> FMHA950_SHARED void memory_load(Wave&, Access& access) {
  if (!access.irregular && (!access.swizzled || Shape::registers == 1)) [[likely]] {
    if constexpr (Shape::bytes == 16) fetch_ahead(access);
    gather<Shape>(access.data, [&](int l) __attribute__((always_inline)) { return host(access.address[l]); });
    return;
  }
  if (!access.irregular) {
    for (int d = 0; d < Shape::registers; ++d)
      gather<Dwords<1>>(access.data + d, [&](int l) __attribute__((always_inline)) {
        return host(access.address[l] + static_cast<uint32_t>(d) * access.dword_stride);
      });
    return;
  }
  for_each_lane(access.lanes, [&](int l) {
    uint8_t bytes[16] = {};
    for_each_byte(access, l, Shape::bytes, [&](uint32_t b, const uint8_t* from) { bytes[b] = *from; });
    Lane<Shape>::load(access.data, l, bytes);
  });
}

template <class Shape> FMHA950_SHARED void memory_store(Wave&, Access& access) {
  if (!access.irregular && (!access.swizzled || Shape::registers == 1)) [[likely]] {
    scatter<Shape>(
        access.data, [&](int l) __attribute__((always_inline)) { return host(access.address[l]); },
        access.valid);
    return;
  }
  if (!access.irregular) {
    for (int d = 0; d < Shape::registers; ++d)
      scatter<Dwords<1>>(
          access.data + d,
          [&](int l) __attribute__((always_inline)) {
            return host(access.address[l] + static_cast<uint32_t>(d) * access.dword_stride);
          },
          access.valid);
    return;
  }
  for_each_lane(access.lanes, [&](int l) {
    uint8_t bytes[16];
    Lane<Shape>::store(access.data, l, bytes);
    for_each_byte(access, l, Shape::bytes, [&](uint32_t b, uint8_t* to) { *to = bytes[b]; });
  });
}

} // namespace fmha950::isa::FMHA950_SIMD
