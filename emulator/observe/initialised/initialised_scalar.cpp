// SALU instructions: moves, selections, shifts and bitwise operations bit by bit,
// everything else all or nothing.

#include "emulator/isa/operand.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"

#include <optional>

namespace fmha950::observe {
namespace {

namespace code = machine::code;
using isa::Instruction;
using machine::Wave;
using Kind = InitialisedInfo::Kind;

Bits source_bits(const RegisterValidity& registers, const Wave& wave, const Instruction& in,
                 const InitialisedInfo& info, int operand) {
  const ValueSource& source = info.source[operand];
  const bool wide = source.registers == 2 || in.src[operand].kind == isa::Source::Kind::constant;
  Bits bits = known(isa::simd_baseline::scalar_bits(wave, in.src[operand], wide));
  if (source.kind == ValueSource::Kind::scalar && in.src[operand].kind == isa::Source::Kind::special)
    bits.invalid = registers.sgpr64(source.first) ? 1 : 0; // vccz
  else if (source.kind == ValueSource::Kind::scalar)
    bits.invalid = wide ? registers.sgpr64(source.first) : registers.sgpr(source.first);
  if (source.first == code::scc && source.kind == ValueSource::Kind::scalar)
    bits.invalid = registers.sgpr(code::scc) & 1;
  return bits;
}

// Where the value of the first SGPR it reads that is not wholly valid came from; nothing when all are valid.
std::optional<uint64_t> origin_of_invalid(const RegisterValidity& registers, const isa::Uses& uses) {
  for (const isa::RegisterRange& range : uses.reads())
    for (int r = range.first; r < range.first + range.count; ++r)
      if (registers.sgpr(r)) return registers.sgpr_origin(r);
  return std::nullopt;
}

void write(RegisterValidity& registers, int destination, int count, uint64_t invalid, uint64_t origin) {
  for (int r = 0; r < count; ++r)
    registers.set_sgpr(destination + r, static_cast<uint32_t>(r < 2 ? invalid >> (32 * r) : invalid), origin);
}

// SGPR indexed by M0 (isa/sop1.cpp).
void move_relative(RegisterValidity& registers, const Wave& wave, const Instruction& in,
                   const InitialisedInfo& info) {
  const bool source = in.row->scalar == isa::ScalarRole::moves_from;
  const int count = in.row->constant[0] == isa::ConstantType::i64 ? 2 : 1; // LLVM names no destination
  const int distance = static_cast<int>(wave.sgpr[code::m0]);
  const bool unknown = registers.sgpr(code::m0) != 0;
  for (int r = 0; r < count; ++r) {
    const int from = in.src[0].index + r + (source ? distance : 0);
    const bool is_register = info.source[0].kind == ValueSource::Kind::scalar || source;
    const uint32_t invalid = unknown ? ~0u : is_register ? registers.sgpr(from) : 0;
    registers.set_sgpr(in.dst + r + (source ? 0 : distance), invalid,
                       is_register ? registers.sgpr_origin(from) : 0);
  }
}

// M0's fields of VGPR indexing (isa/control.cpp): the index from a scalar source, what it moves from the encoding.
void set_index(RegisterValidity& registers, const Wave& wave, const Instruction& in,
               const InitialisedInfo& info, uint64_t origin) {
  constexpr uint32_t index = 0xFF, operands = 0xF000;
  const bool has_source = in.encoding != isa::Encoding::sopp;
  const bool has_operands = in.encoding != isa::Encoding::sop1;
  const uint32_t fields = (has_source ? index : 0) | (has_operands ? operands : 0);
  const auto from =
      has_source ? static_cast<uint32_t>(source_bits(registers, wave, in, info, 0).invalid) & index : 0;
  registers.set_sgpr(code::m0, (registers.sgpr(code::m0) & ~fields) | from, origin);
}

void save_exec(RegisterValidity& registers, const Wave& wave, const Instruction& in,
               const InitialisedInfo& info, uint64_t origin) {
  const Bits exec = scalar_pair(registers, wave, code::exec);
  const Bits result = info.bits(
      {.s = {source_bits(registers, wave, in, info, 0), exec}, .in = in, .lane = 0, .old = {}, .scc = {}});
  const bool saves_old = in.row->scalar == isa::ScalarRole::saves_exec;
  registers.set_sgpr64(in.dst, saves_old ? exec.invalid : result.invalid, origin);
  registers.set_sgpr64(code::exec, result.invalid, origin);
  registers.set_sgpr(code::scc, static_cast<uint32_t>(nonzero(result).invalid), origin);
}

} // namespace

void flow_scalar(RegisterValidity& registers, const Wave& wave, const Instruction& in, const isa::Uses& uses,
                 const InitialisedInfo& info) {
  if (info.kind == Kind::move_relative) return move_relative(registers, wave, in, info);
  const std::optional<uint64_t> origin_read = origin_of_invalid(registers, uses);
  const uint64_t origin = origin_read.value_or(0);
  if (info.kind == Kind::vgpr_index) return set_index(registers, wave, in, info, origin);
  if (info.kind == Kind::exec) return save_exec(registers, wave, in, info, origin);
  Bits scc;
  if (info.bits) {
    const int width = 32 * info.results;
    const Bits result = info.bits({.s = {source_bits(registers, wave, in, info, 0),
                                         source_bits(registers, wave, in, info, 1)},
                                   .in = in,
                                   .lane = 0,
                                   .old = scalar_pair(registers, wave, in.dst),
                                   .scc = {wave.scc, registers.sgpr(code::scc) & 1}})
                            .low(width);
    write(registers, in.dst, info.results, result.invalid, origin);
    scc = nonzero(result);
  } else {
    const bool invalid = origin_read.has_value();
    write(registers, in.dst, info.results, invalid ? ~uint64_t{0} : 0, origin);
    scc.invalid = invalid;
  }
  if (info.writes_scc) registers.set_sgpr(code::scc, static_cast<uint32_t>(scc.invalid), origin);
}

} // namespace fmha950::observe
