// VALU instructions: validity moves byte by byte and lane by lane, as one mask of lanes per byte; rules that
// look at values take the lanes concerned one by one.

#include "emulator/isa/operand.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"
#include "emulator/observe/initialised/initialised_operands.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {
namespace {

using isa::Extension;
using isa::Instruction;
using machine::Wave;
using Kind = InitialisedInfo::Kind;

// A value for each lane: v_cmp's result and carries.
void write_mask(RegisterValidity& registers, const Instruction& in, uint64_t invalid, uint64_t origin) {
  registers.set_sgpr64(in.sdst, invalid, origin);
}

void by_bytes(RegisterValidity& registers, const Wave& wave, const Instruction& in,
              const InitialisedInfo& info) {
  ResultValidity result;
  result.lanes = written_lanes(wave, in);
  result.written = info.bytes.written;
  uint64_t any = 0;
  for (int s = 0; s < ByteDependence::sources; ++s) {
    if (info.source[s].kind == ValueSource::Kind::none) continue;
    const OperandValidity f = fetch_operand(registers, wave, in, info, s);
    if (!f.any()) continue;
    result.origin = f.origin;
    any |= f.any();
    for (int b = 0; b < operand_bytes; ++b)
      if (const unsigned from = info.bytes.from[b][s]) result.byte[b] |= f.any_of(from);
  }
  if (info.kind == Kind::compare) {
    const uint64_t invalid = result.byte[0] & result.lanes;
    write_mask(registers, in, invalid, result.origin);
    if (info.writes_exec) registers.set_sgpr64(machine::code::exec, invalid, result.origin);
    return;
  }
  write_result(registers, in, result, info.results);
  if (in.row->valu.carries) write_mask(registers, in, any & result.lanes, result.origin);
}

void by_wide(RegisterValidity& registers, const Wave& wave, const Instruction& in,
             const InitialisedInfo& info) {
  uint64_t lanes = 0, origin = 0;
  for (const ValueSource& source : info.source)
    for (int r = 0; r < source.registers; ++r) {
      const bool vector = source.kind == ValueSource::Kind::vector;
      const uint64_t invalid = vector ? any_byte(registers.vgpr(source.first + r))
                                      : (registers.sgpr(source.first + r) ? all_lanes : 0);
      if (!invalid) continue;
      lanes |= invalid;
      origin = vector ? registers.vgpr_origin(source.first + r) : registers.sgpr_origin(source.first + r);
    }
  const uint64_t exec = wave.exec();
  for (int r = in.dst; r < in.dst + info.results; ++r) {
    ByteLanes bytes = registers.vgpr(r);
    for (uint64_t& byte : bytes) byte = (byte & ~exec) | (lanes & exec);
    registers.set_vgpr(r, bytes, lanes & exec ? origin : registers.vgpr_origin(r));
  }
}

// The 64 values of a source, modifiers applied.
struct Values {
  isa::simd_baseline::Scratch scratch;
  const uint32_t* registers = nullptr;
  void fetch(const Wave& wave, const Instruction& in, int operand, bool wide) {
    registers = wide ? isa::simd_baseline::locate<isa::simd_baseline::u64>(wave, in, operand, scratch)
                     : isa::simd_baseline::locate<isa::simd_baseline::u32>(wave, in, operand, scratch);
  }
  uint64_t of(int lane, bool wide) const {
    return registers[lane] | (wide ? static_cast<uint64_t>(registers[64 + lane]) << 32 : 0);
  }
};

uint64_t bits_of_bytes(const OperandValidity& f, int lane) {
  uint64_t bits = 0;
  for (int b = 0; b < operand_bytes; ++b)
    if (f.byte[b] >> lane & 1) bits |= uint64_t{0xFF} << (8 * b);
  return bits;
}

void by_bits(RegisterValidity& registers, const Wave& wave, const Instruction& in,
             const InitialisedInfo& info) {
  ResultValidity result;
  result.lanes = written_lanes(wave, in);
  result.written = info.results == 2 ? 0xFF : 0xF;
  OperandValidity sources[3];
  uint64_t concerned = 0;
  for (int s = 0; s < 3; ++s) {
    sources[s] = fetch_operand(registers, wave, in, info, s);
    if (sources[s].any()) result.origin = sources[s].origin;
    concerned |= sources[s].any();
  }
  concerned &= result.lanes;
  if (concerned) {
    Values values[3];
    bool wide[3];
    for (int s = 0; s < 3; ++s) {
      wide[s] = info.source[s].registers == 2 || in.src[s].value >> 32;
      if (in.src[s].kind != isa::Source::Kind::none) values[s].fetch(wave, in, s, wide[s]);
    }
    for (; concerned; concerned &= concerned - 1) {
      const int lane = __builtin_ctzll(concerned);
      BitsSources x{.s = {}, .in = in, .lane = lane, .old = {}, .scc = {}};
      for (int s = 0; s < 3; ++s) {
        if (in.src[s].kind == isa::Source::Kind::none) continue;
        x.s[s] = {values[s].of(lane, wide[s]), bits_of_bytes(sources[s], lane)};
        const ValueSource& source = info.source[s];
        if (source.kind == ValueSource::Kind::scalar && in.extension == Extension::none)
          x.s[s].invalid = wide[s] ? registers.sgpr64(source.first) : registers.sgpr(source.first);
      }
      const uint64_t invalid = info.bits(x).invalid;
      for (int b = 0; b < operand_bytes; ++b)
        if (invalid >> (8 * b) & 0xFF) result.byte[b] |= uint64_t{1} << lane;
    }
  }
  write_result(registers, in, result, info.results);
}

void by_select(RegisterValidity& registers, const Wave& wave, const Instruction& in,
               const InitialisedInfo& info) {
  ResultValidity result;
  result.lanes = written_lanes(wave, in);
  result.written = 0xF;
  const uint64_t mask = isa::simd_baseline::scalar_bits(wave, in.src[2], true);
  const OperandValidity no = fetch_operand(registers, wave, in, info, 0),
                        yes = fetch_operand(registers, wave, in, info, 1),
                        condition = fetch_operand(registers, wave, in, info, 2);
  for (int b = 0; b < 4; ++b)
    result.byte[b] = (no.byte[b] & ~mask) | (yes.byte[b] & mask) | condition.byte[b];
  result.origin = yes.any() & mask ? yes.origin : no.any() & ~mask ? no.origin : condition.origin;
  write_result(registers, in, result, info.results);
}

} // namespace

void flow_vector(RegisterValidity& registers, const Wave& wave, const Instruction& in,
                 const InitialisedInfo& info) {
  switch (info.kind) {
  case Kind::bytes:
  case Kind::compare: return by_bytes(registers, wave, in, info);
  case Kind::bits: return by_bits(registers, wave, in, info);
  case Kind::wide: return by_wide(registers, wave, in, info);
  case Kind::select: return by_select(registers, wave, in, info);
  case Kind::read_lane:
  case Kind::write_lane:
  case Kind::swap:
  case Kind::permlane_swap: return flow_lanes(registers, wave, in, info);
  default: return;
  }
}

} // namespace fmha950::observe
