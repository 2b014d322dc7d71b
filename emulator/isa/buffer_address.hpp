#pragma once
// Addresses and range checks of buffer instructions (machine_gfx950.md sections 4.1 and 4.2).

#include "emulator/isa/vmem.hpp"
#include "emulator/machine/launch.hpp"

namespace fmha950::isa::FMHA950_SIMD {

// The resource descriptor (V#), as far as it decides addresses.
struct Resource {
  uint64_t base = 0;
  uint32_t stride = 0, num_records = 0, index_stride = 8;
  bool swizzle_enable = false, add_tid = false;
  uint32_t word3 = 0;
};
FMHA950_INLINE Resource resource_of(const Wave& wave, int sgpr, bool is_format) {
  const uint32_t* word = wave.sgpr + sgpr;
  Resource v;
  v.base = word[0] | static_cast<uint64_t>(word[1] & 0xFFFF) << 32;
  v.stride = word[1] >> 16 & 0x3FFF;
  v.swizzle_enable = word[1] >> 31;
  v.num_records = word[2];
  v.word3 = word[3];
  v.index_stride = 8u << (word[3] >> 21 & 3);
  v.add_tid = word[3] >> 23 & 1;
  // With ADD_TID, data_format holds stride[17:14] except for format instructions.
  if (v.add_tid && !is_format) v.stride |= (word[3] >> 15 & 15) << 14;
  return v;
}

// How an instruction's dwords fare at the end of a buffer: plain loads and stores are clamped dword by dword,
// format instructions and atomics all or nothing.
enum class Clamp : uint8_t { per_dword, whole };

template <uint32_t Bytes, Clamp clamp>
FMHA950_INLINE void drop_out_of_range(Access& access, Lanes<uint32_t> offset, uint64_t soffset,
                                      uint32_t num_records) {
  constexpr int elements = clamp == Clamp::whole || Bytes < 4 ? 1 : Bytes / 4;
  constexpr uint64_t element_bytes = Bytes / elements;
  // In range: offset + soffset + (i+1)*element_bytes <= num_records.
  const auto dropped = [&](int i) __attribute__((always_inline)) {
    const uint64_t end = soffset + (i + 1) * element_bytes;
    if (end > num_records) return all_lanes;
    return lanes_true(offset > static_cast<uint32_t>(num_records - end));
  };
  const uint64_t last = dropped(elements - 1);
  if (!(last & access.lanes)) return;
  access.dropped[elements - 1] = last;
  for (int i = 0; i < elements - 1; ++i) access.dropped[i] = dropped(i);
}

// base + offset + soffset. The carry out of base[31:0] + offset is dropped by an errata report that disputes the 64-bit
// sum (CK #9214): option carry. That soffset is added to all 64 bits is a guess.
FMHA950_INLINE Lanes<uint64_t> buffer_sum(const Wave& wave, uint64_t base, Lanes<uint64_t> offset,
                                          uint64_t soffset) {
  if (wave.workgroup->launch->options.drops_carry) [[unlikely]] {
    const uint64_t low = base & 0xFFFFFFFF;
    offset = ((offset + low) & 0xFFFFFFFF) - low;
  }
  return offset + (base + soffset);
}

template <uint32_t Bytes, Clamp clamp, bool IsFormat = false>
FMHA950_SHARED void buffer_addresses(Wave& wave, Access& access, const Instruction& in) {
  const Resource v = resource_of(wave, in.saddr, IsFormat);
  const uint64_t soffset = in.src[0].kind == Source::Kind::sgpr ? wave.sgpr[in.src[0].index]
                                                                : static_cast<uint32_t>(in.src[0].value);
  const Lanes<uint32_t> none = {};
  Lanes<uint32_t> offset = none + static_cast<uint32_t>(in.offset);
  // The sum wraps at 32 bits.
  if (in.offen) offset += load_lanes<uint32_t>(wave.lanes(in.vaddr + (in.idxen ? 1 : 0)));
  access.lanes = wave.exec();

  const bool swizzled = v.swizzle_enable && v.add_tid;
  if (!in.idxen && !v.add_tid) { // raw
    drop_out_of_range<Bytes, clamp>(access, offset, soffset, v.num_records);
    store_lanes(access.address,
                buffer_sum(wave, v.base, __builtin_convertvector(offset, Lanes<uint64_t>), soffset));
    return;
  }
  Lanes<uint32_t> index = in.idxen ? load_lanes<uint32_t>(wave.lanes(in.vaddr)) : none;
  if (in.idxen && v.stride != 0) {
    const uint64_t outside = lanes_true(index >= v.num_records);
    for (uint64_t& dropped : access.dropped) dropped = outside;
  } else if (in.idxen) {
    drop_out_of_range<Bytes, clamp>(access, offset, soffset, v.num_records);
  } // ADD_TID without idxen: no check
  if (v.add_tid && (swizzled || !in.idxen)) index += lane_ids();

  const auto wide_index = __builtin_convertvector(index, Lanes<uint64_t>);
  const auto wide_offset = __builtin_convertvector(offset, Lanes<uint64_t>);
  Lanes<uint64_t> address = wide_index * v.stride + wide_offset;
  if (swizzled) { // element size is fixed at 4 bytes
    const uint64_t rows = v.index_stride;
    address =
        (wide_index / rows * v.stride + wide_offset / 4 * 4) * rows + wide_index % rows * 4 + wide_offset % 4;
    access.swizzled = access.lanes;
    access.dword_stride = 4 * v.index_stride;
  }
  store_lanes(access.address, buffer_sum(wave, v.base, address, soffset));
}

} // namespace fmha950::isa::FMHA950_SIMD
