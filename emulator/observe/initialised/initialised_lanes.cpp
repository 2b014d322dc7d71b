// VALU instructions that move single lanes or exchange lanes of two registers (isa/lane.cpp).

#include "emulator/isa/operand.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {
namespace {

using isa::Instruction;
using machine::Wave;
using Kind = InitialisedInfo::Kind;

// --- one lane ---

uint32_t bits_of_lane(const ByteLanes& bytes, unsigned lane) {
  uint32_t bits = 0;
  for (int b = 0; b < 4; ++b)
    if (bytes[b] >> lane & 1) bits |= 0xFFu << (8 * b);
  return bits;
}

void read_lane(RegisterValidity& registers, const Wave& wave, const Instruction& in,
               const InitialisedInfo& info) {
  const ValueSource& source = info.source[0];
  uint32_t invalid = 0;
  uint64_t origin = 0;
  if (source.kind == ValueSource::Kind::vector) {
    const bool first = in.row->valu.flow == isa::ValuFlow::read_first_lane;
    unsigned lane = wave.exec() ? static_cast<unsigned>(__builtin_ctzll(wave.exec())) : 0;
    if (!first) lane = isa::simd_baseline::scalar_bits(wave, in.src[1], false) % 64;
    const bool unknown_lane =
        info.source[1].kind == ValueSource::Kind::scalar && registers.sgpr(info.source[1].first) & 63;
    invalid = unknown_lane ? ~0u : bits_of_lane(registers.vgpr(source.first), lane);
    origin = registers.vgpr_origin(source.first);
  } else if (source.kind == ValueSource::Kind::scalar) {
    invalid = registers.sgpr(source.first);
    origin = registers.sgpr_origin(source.first);
  }
  registers.set_sgpr(in.dst, invalid, origin);
}

void write_lane(RegisterValidity& registers, const Wave& wave, const Instruction& in,
                const InitialisedInfo& info) {
  const ValueSource &value = info.source[0], &select = info.source[1];
  const uint64_t lane = uint64_t{1} << isa::simd_baseline::scalar_bits(wave, in.src[1], false) % 64;
  const uint32_t invalid = value.kind == ValueSource::Kind::scalar ? registers.sgpr(value.first) : 0;
  const bool unknown_lane = select.kind == ValueSource::Kind::scalar && registers.sgpr(select.first) & 63;
  ByteLanes bytes = registers.vgpr(in.dst);
  for (int b = 0; b < 4; ++b) {
    bytes[b] = (bytes[b] & ~lane) | (invalid >> (8 * b) & 0xFF ? lane : 0);
    if (unknown_lane) bytes[b] = all_lanes;
  }
  registers.set_vgpr(in.dst, bytes,
                     invalid ? registers.sgpr_origin(value.first) : registers.vgpr_origin(in.dst));
}

// --- exchanges ---

// second[lane] changes places with first[lane + distance], as in isa/lane.cpp.
void exchange(RegisterValidity& registers, int first, int second, uint64_t lanes_of_second, int distance) {
  ByteLanes a = registers.vgpr(first), b = registers.vgpr(second);
  const uint64_t lanes_of_first = lanes_of_second << distance;
  for (int i = 0; i < 4; ++i) {
    const uint64_t from_a = (a[i] & lanes_of_first) >> distance, from_b = (b[i] & lanes_of_second)
                                                                          << distance;
    a[i] = (a[i] & ~lanes_of_first) | from_b;
    b[i] = (b[i] & ~lanes_of_second) | from_a;
  }
  const uint64_t origin_a = registers.vgpr_origin(first), origin_b = registers.vgpr_origin(second);
  registers.set_vgpr(first, a, origin_b);
  registers.set_vgpr(second, b, origin_a);
}

void permlane_swap(RegisterValidity& registers, const Wave& wave, const Instruction& in) {
  const int size = in.row->valu.flow == isa::ValuFlow::swap_rows_16 ? 16 : 32;
  const uint64_t even_rows = size == 16 ? 0x0000FFFF'0000FFFFull : 0x00000000'FFFFFFFFull;
  exchange(registers, in.dst, in.src[0].index, even_rows & wave.exec() & wave.exec() >> size, size);
}

} // namespace

void flow_lanes(RegisterValidity& registers, const Wave& wave, const Instruction& in,
                const InitialisedInfo& info) {
  switch (info.kind) {
  case Kind::read_lane: return read_lane(registers, wave, in, info);
  case Kind::write_lane: return write_lane(registers, wave, in, info);
  case Kind::swap: return exchange(registers, in.dst, in.src[0].index, wave.exec(), 0);
  default: return permlane_swap(registers, wave, in);
  }
}

} // namespace fmha950::observe
