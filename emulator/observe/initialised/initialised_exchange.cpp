// Validity that moves between lanes in DS instructions (machine_gfx950.md section 3).

#include "emulator/isa/lane_swizzle.hpp"
#include "emulator/observe/initialised/initialised_memory.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {

void flow_exchange(RegisterValidity& registers, const MemoryEvent& event) {
  const machine::Access& access = event.access;
  const isa::Instruction& in = *access.instruction;
  const isa::LaneExchange exchange = in.row->memory.exchange;
  const auto offset = static_cast<uint32_t>(in.offset);
  const bool swizzle = exchange == isa::LaneExchange::swizzle,
             permute = exchange == isa::LaneExchange::permute;
  const int data = swizzle ? in.vaddr : in.vdata;
  const uint64_t lanes = access.lanes, unknown = swizzle ? 0 : any_byte(registers.vgpr(in.vaddr)) & lanes;

  int from[64]; // -1: nothing, which is zero
  for (int& lane : from) lane = -1;
  for (int lane = 0; lane < 64; ++lane) {
    if (swizzle) {
      from[lane] = isa::simd_baseline::swizzle_source(offset, lane);
    } else if (lanes >> lane & 1) {
      const int other = static_cast<int>((access.lds_address[lane] + offset) / 4 % 64);
      (permute ? from[other] : from[lane]) = permute ? lane : other;
    }
  }
  // Whoever was sent to an unknown lane could have reached any.
  const uint64_t astray = permute ? (unknown ? all_lanes : 0) : unknown;
  const ByteLanes source = registers.vgpr(data);
  ByteLanes result = registers.vgpr(in.dst);
  for (size_t b = 0; b < 4; ++b) {
    uint64_t moved = astray;
    for (int lane = 0; lane < 64; ++lane)
      if (from[lane] >= 0 && source[b] & lanes & uint64_t{1} << from[lane]) moved |= uint64_t{1} << lane;
    result[b] = (result[b] & ~lanes) | (moved & lanes);
  }
  registers.set_vgpr(in.dst, result, registers.vgpr_origin(unknown ? in.vaddr : data));
}

void transpose_validity(uint32_t (&lanes)[64], uint32_t bytes, int element_bits) {
  using Row = unsigned __int128;
  const auto to_bits = [bytes](uint32_t invalid) {
    Row bits = 0;
    for (uint32_t b = 0; b < bytes; ++b)
      if (invalid >> b & 1) bits |= Row{0xFF} << (8 * b);
    return bits;
  };
  const int elements = static_cast<int>(bytes) * 8 / element_bits;
  const Row mask = (Row{1} << element_bits) - 1;
  for (int quarter = 0; quarter < 64; quarter += 16) {
    uint32_t result[16] = {};
    for (int l = 0; l < 16; ++l)
      for (int n = 0; n < elements; ++n) {
        // Which element of which lane's fetch arrives as element n of lane l.
        const int element = element_bits == 16 ? l & 3 : element_bits == 8 ? l & 7 : l;
        const int lane = element_bits == 16 ? (l >> 2) + 4 * n : element_bits == 8 ? (l >> 3) + 2 * n : n;
        if (!(to_bits(lanes[quarter + lane]) >> (element * element_bits) & mask)) continue;
        const int first = n * element_bits / 8, last = (n * element_bits + element_bits - 1) / 8;
        result[l] |= 1u << first | 1u << last;
      }
    for (int l = 0; l < 16; ++l) lanes[quarter + l] = result[l];
  }
}

} // namespace fmha950::observe
