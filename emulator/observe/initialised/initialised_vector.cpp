// VALU instructions: validity moves byte by byte and lane by lane, as one mask of lanes per byte; rules that
// look at values take the lanes concerned one by one.

#include "emulator/isa/lane_dpp.hpp"
#include "emulator/isa/operand.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

using isa::Extension;
using isa::Instruction;
using machine::Wave;
using Kind = InitialisedInfo::Kind;
using isa::simd_baseline::DppPattern;

constexpr int max_bytes = 8; // of an operand: two registers
struct Fetched {
  uint64_t byte[max_bytes] = {}; // lanes
  uint64_t origin = 0;
  uint64_t any() const {
    uint64_t lanes = 0;
    for (uint64_t b : byte) lanes |= b;
    return lanes;
  }
  uint64_t any_of(unsigned bytes) const {
    uint64_t lanes = 0;
    for (int b = 0; b < max_bytes; ++b)
      if (bytes >> b & 1) lanes |= byte[b];
    return lanes;
  }
};

DppPattern dpp_of(const Wave& wave, const Instruction& in) {
  return isa::simd_baseline::dpp_pattern(in.words[1], wave.exec());
}
uint64_t written_lanes(const Wave& wave, const Instruction& in) {
  return in.extension == Extension::dpp ? dpp_of(wave, in).written : wave.exec();
}

uint64_t permuted(uint64_t lanes, const DppPattern& pattern) {
  uint64_t result = 0;
  for (uint64_t left = pattern.valid; left; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    result |= (lanes >> pattern.source[lane] & 1) << lane;
  }
  return result; // lanes without a source read 0
}

// SDWA's select: 0..3 byte, 4..5 word, 6 dword; what is above is zero or sign (isa/valu_modifiers.cpp).
void select_part(Fetched& f, uint32_t control) {
  const unsigned select = control & 7, bytes = select < 4 ? 1 : 2;
  if (select >= 6) return;
  const unsigned first = select < 4 ? select : 2 * (select - 4);
  uint64_t part[2] = {};
  for (unsigned b = 0; b < bytes; ++b) part[b] = f.byte[first + b];
  const uint64_t above = control >> 3 & 1 ? part[bytes - 1] : 0;
  for (unsigned b = 0; b < 4; ++b) f.byte[b] = b < bytes ? part[b] : above;
}

Fetched fetch(const RegisterValidity& registers, const Wave& wave, const Instruction& in,
              const InitialisedInfo& info, int operand) {
  Fetched f;
  const ValueSource& source = info.source[operand];
  switch (source.kind) {
  case ValueSource::Kind::none: return f;
  case ValueSource::Kind::vector:
    for (int r = 0; r < std::min<int>(source.registers, 2); ++r) {
      const ByteLanes& bytes = registers.vgpr(source.first + r);
      std::copy(bytes.begin(), bytes.end(), f.byte + 4 * r);
      if (any_byte(bytes)) f.origin = registers.vgpr_origin(source.first + r);
    }
    break;
  case ValueSource::Kind::scalar:
    for (int b = 0; b < 4 * std::min<int>(source.registers, 2); ++b)
      if (registers.sgpr(source.first + b / 4) >> (8 * (b % 4)) & 0xFF) {
        f.byte[b] = all_lanes;
        f.origin = registers.sgpr_origin(source.first + b / 4);
      }
    break;
  case ValueSource::Kind::lane_mask:
    std::fill_n(f.byte, max_bytes, registers.sgpr64(source.first));
    f.origin = registers.sgpr_origin(source.first);
    return f;
  }
  if (in.extension == Extension::dpp && operand == 0) {
    const DppPattern pattern = dpp_of(wave, in);
    for (uint64_t& lanes : f.byte)
      if (lanes) lanes = permuted(lanes, pattern);
  }
  if (in.extension == Extension::sdwa && operand < 2) select_part(f, in.words[1] >> (operand == 0 ? 16 : 24));
  return f;
}

struct Result {
  uint64_t byte[max_bytes] = {};
  unsigned written = 0; // bytes
  uint64_t lanes = 0;
  uint64_t origin = 0;
};

// SDWA's destination select and what becomes of the unused part: 0 zero, 1 sign, 2 preserved.
void place(Result& result, const Instruction& in) {
  const unsigned select = in.words[1] >> 8 & 7, unused = in.words[1] >> 11 & 3;
  if (select >= 6) return;
  const unsigned bytes = select < 4 ? 1 : 2, first = select < 4 ? select : 2 * (select - 4);
  const uint64_t low[2] = {result.byte[0], result.byte[1]};
  const uint64_t sign = unused == 1 ? low[bytes - 1] : 0;
  result.written = unused == 2 ? ((1u << bytes) - 1) << first : 0xF;
  for (unsigned b = 0; b < 4; ++b) result.byte[b] = b < first ? 0 : b < first + bytes ? low[b - first] : sign;
}

void write(RegisterValidity& registers, const Instruction& in, Result result, int count) {
  if (in.extension == Extension::sdwa) place(result, in);
  for (int r = 0; r < count; ++r) {
    ByteLanes bytes = registers.vgpr(in.dst + r);
    bool any = false;
    for (int b = 0; b < 4; ++b) {
      if (!(result.written >> (4 * r + b) & 1)) continue;
      const uint64_t fresh = result.byte[4 * r + b] & result.lanes;
      bytes[b] = (bytes[b] & ~result.lanes) | fresh;
      any |= fresh != 0;
    }
    registers.set_vgpr(in.dst + r, bytes, any ? result.origin : registers.vgpr_origin(in.dst + r));
  }
}

// A value for each lane: v_cmp's result and carries.
void write_mask(RegisterValidity& registers, const Instruction& in, uint64_t invalid, uint64_t origin) {
  registers.set_sgpr64(in.sdst, invalid, origin);
}

void by_bytes(RegisterValidity& registers, const Wave& wave, const Instruction& in,
              const InitialisedInfo& info) {
  Result result;
  result.lanes = written_lanes(wave, in);
  result.written = info.bytes.written;
  uint64_t any = 0;
  for (int s = 0; s < ByteDependence::sources; ++s) {
    if (info.source[s].kind == ValueSource::Kind::none) continue;
    const Fetched f = fetch(registers, wave, in, info, s);
    if (!f.any()) continue;
    result.origin = f.origin;
    any |= f.any();
    for (int b = 0; b < max_bytes; ++b)
      if (const unsigned from = info.bytes.from[b][s]) result.byte[b] |= f.any_of(from);
  }
  if (info.kind == Kind::compare) {
    const uint64_t invalid = result.byte[0] & result.lanes;
    write_mask(registers, in, invalid, result.origin);
    if (in.row->mnemonic[5] == 'x') registers.set_sgpr64(machine::code::exec, invalid, result.origin);
    return;
  }
  write(registers, in, result, info.results);
  if (info.carry_out) write_mask(registers, in, any & result.lanes, result.origin);
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

uint64_t bits_of_bytes(const Fetched& f, int lane) {
  uint64_t bits = 0;
  for (int b = 0; b < max_bytes; ++b)
    if (f.byte[b] >> lane & 1) bits |= uint64_t{0xFF} << (8 * b);
  return bits;
}

void by_bits(RegisterValidity& registers, const Wave& wave, const Instruction& in,
             const InitialisedInfo& info) {
  Result result;
  result.lanes = written_lanes(wave, in);
  result.written = info.results == 2 ? 0xFF : 0xF;
  Fetched sources[3];
  uint64_t concerned = 0;
  for (int s = 0; s < 3; ++s) {
    sources[s] = fetch(registers, wave, in, info, s);
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
      BitsSources x{{}, lane, in};
      for (int s = 0; s < 3; ++s) {
        if (in.src[s].kind == isa::Source::Kind::none) continue;
        x.s[s] = {values[s].of(lane, wide[s]), bits_of_bytes(sources[s], lane)};
        const ValueSource& source = info.source[s];
        if (source.kind == ValueSource::Kind::scalar && in.extension == Extension::none)
          x.s[s].invalid = wide[s] ? registers.sgpr64(source.first) : registers.sgpr(source.first);
      }
      const uint64_t invalid = info.bits(x).invalid;
      for (int b = 0; b < max_bytes; ++b)
        if (invalid >> (8 * b) & 0xFF) result.byte[b] |= uint64_t{1} << lane;
    }
  }
  write(registers, in, result, info.results);
}

void by_select(RegisterValidity& registers, const Wave& wave, const Instruction& in,
               const InitialisedInfo& info) {
  Result result;
  result.lanes = written_lanes(wave, in);
  result.written = 0xF;
  const uint64_t mask = isa::simd_baseline::scalar_bits(wave, in.src[2], true);
  const Fetched no = fetch(registers, wave, in, info, 0), yes = fetch(registers, wave, in, info, 1),
                condition = fetch(registers, wave, in, info, 2);
  for (int b = 0; b < 4; ++b)
    result.byte[b] = (no.byte[b] & ~mask) | (yes.byte[b] & mask) | condition.byte[b];
  result.origin = yes.any() & mask ? yes.origin : no.any() & ~mask ? no.origin : condition.origin;
  write(registers, in, result, info.results);
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
