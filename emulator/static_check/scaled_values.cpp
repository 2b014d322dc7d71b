#include "emulator/static_check/scaled_values.hpp"

#include "emulator/program/row.hpp"
#include "emulator/program/truth_table.hpp"
#include "emulator/static_check/instruction_functions.hpp"

#include <algorithm>
#include <bit>

namespace fmha950::static_check {
namespace {

using ScaledKind = Scaled::Kind;
using observe::MemoryOperation;

// Whether a one of that source is a one of the result, whatever the others are.
bool is_one_where(uint32_t table, int number) {
  for (uint32_t sources = 0; sources < 8; ++sources)
    if ((sources >> (2 - number) & 1) && !(table >> sources & 1)) return false;
  return true;
}

// What a source has in the bits from `by` on, where that is the same in all of them.
KnownBits high_bits(const Scaled& value, int by) {
  if (value.by != by) return {};
  if (value.kind == ScaledKind::below) return KnownBits::of(0);
  return value.kind == ScaledKind::above ? KnownBits::of(~0u) : KnownBits();
}

KnownBits up_to(uint32_t most) { return {0, ~static_cast<uint32_t>(std::bit_ceil(uint64_t{most} + 1) - 1)}; }

} // namespace

Scaled either(const Scaled& a, const Scaled& b) {
  Scaled both = a;
  if (a.kind == ScaledKind::entry) both.rest = std::max(a.rest, b.rest);
  Scaled other = b;
  other.rest = both.rest;
  return both == other ? both : Scaled();
}

ScaledValues::ScaledValues(const Code& code, uint32_t wave) : bits_(code, wave) {
  if (!code.arguments_register()) return;
  registers_[{File::scalar, *code.arguments_register()}].kind = ScaledKind::arguments_low;
  registers_[{File::scalar, *code.arguments_register() + 1}].kind = ScaledKind::arguments_high;
}

Scaled ScaledValues::of(File file, int r) const {
  const auto found = registers_.find({file, r});
  return found == registers_.end() ? Scaled() : found->second;
}
Scaled ScaledValues::scalar(int code) const { return of(File::scalar, code); }
Scaled ScaledValues::vector(int vgpr) const { return of(File::vector, vgpr); }

bool ScaledValues::join(const ScaledValues& other) {
  bool lost = bits_.join(other.bits_);
  for (auto at = registers_.begin(); at != registers_.end();) {
    const auto theirs = other.registers_.find(at->first);
    const Scaled both = theirs == other.registers_.end() ? Scaled() : either(at->second, theirs->second);
    lost |= !(both == at->second);
    at->second = both;
    at = both.kind == ScaledKind::unknown ? registers_.erase(at) : std::next(at);
  }
  return lost;
}

ScaledValues::Operand ScaledValues::operand(const isa::Source& source) const {
  switch (source.kind) {
  case isa::Source::Kind::constant: return {{}, KnownBits::of(static_cast<uint32_t>(source.value))};
  case isa::Source::Kind::sgpr: return {scalar(source.index), bits_.scalar(source.index)};
  case isa::Source::Kind::vgpr: {
    const RegisterBits::Lanes lanes = bits_.vector(source.index);
    KnownBits all = lanes[0];
    for (const KnownBits& lane : lanes) all = common(all, lane);
    return {vector(source.index), all};
  }
  default: return {};
  }
}

ScaledValues::Operand ScaledValues::shifted(const Operand& value, const Operand& count) {
  Operand result{{}, shifted_left(value.bits, count.bits)};
  const bool scales = value.scaled.kind == ScaledKind::argument || value.scaled.kind == ScaledKind::entry;
  if (scales && count.bits.is_value()) {
    const int by = static_cast<int>(count.bits.value & 31);
    if (value.scaled.shift + by > 31) return result;
    result.scaled = value.scaled;
    result.scaled.shift += by;
    result.scaled.rest <<= by;
    return result;
  }
  const Scaled& by = count.scaled;
  if (by.kind != ScaledKind::argument || by.shift != 0 || by.by != Scaled::none) return result;
  if (scales && value.scaled.shift == 0 && value.scaled.by == Scaled::none) {
    result.scaled = value.scaled;
    result.scaled.by = by.argument;
  }
  if (value.bits == KnownBits::of(~0u)) result.scaled = {.kind = ScaledKind::above, .by = by.argument};
  return result;
}

// Bit by bit, as in bitwise(). An entry's own bits stay what they are if a one of it is a one of the result and the others
// have only zeros there.
Scaled ScaledValues::combined(uint32_t table, const Operand (&operands)[3]) {
  const auto is_entry = [](const Operand& operand) { return operand.scaled.kind == ScaledKind::entry; };
  const auto entry = std::ranges::find_if(operands, is_entry);
  const auto number = static_cast<int>(entry - operands);
  const bool has_entry = entry != std::end(operands);
  if (has_entry && !is_one_where(table, number)) return {};
  if (has_entry && entry->scaled.shift > 0) {
    KnownBits sources[3];
    for (int i = 0; i < 3; ++i) sources[i] = i == number ? up_to(entry->scaled.rest) : operands[i].bits;
    const uint32_t most = bitwise(table, sources[0], sources[1], sources[2]).most();
    Scaled result = entry->scaled;
    result.rest = most;
    return most >> result.shift == 0 ? result : Scaled();
  }
  for (const Operand& mask : operands) {
    const int by = mask.scaled.by;
    if (mask.scaled.kind != ScaledKind::below && mask.scaled.kind != ScaledKind::above) continue;
    KnownBits sources[3];
    for (int i = 0; i < 3; ++i)
      sources[i] = has_entry && i == number ? KnownBits::of(0) : high_bits(operands[i].scaled, by);
    const KnownBits high = bitwise(table, sources[0], sources[1], sources[2]);
    if (!(high == KnownBits::of(0))) continue;
    if (!has_entry) return {.kind = ScaledKind::below, .by = by};
    if (entry->scaled.by == by) return entry->scaled;
  }
  return {};
}

ScaledValues::Registers ScaledValues::loaded_by(const isa::Instruction& in, const isa::Uses& uses) const {
  Registers loaded;
  const isa::RegisterRange& into = uses.writes().front();
  if (in.encoding == isa::Encoding::smem) {
    const bool of_arguments = scalar(in.saddr).kind == ScaledKind::arguments_low &&
                              scalar(in.saddr + 1).kind == ScaledKind::arguments_high &&
                              in.src[0].kind == isa::Source::Kind::none && in.offset >= 0;
    for (int i = 0; of_arguments && i < into.count; ++i)
      loaded[{into.file, into.first + i}] = {.kind = ScaledKind::argument, .argument = in.offset + 4 * i};
  } else if (isa::memory_of(in).segment == isa::Segment::global) {
    loaded[{into.file, into.first}].kind = ScaledKind::entry;
  }
  return loaded;
}

ScaledValues::Registers ScaledValues::written_by(const Code& code, size_t index) const {
  const isa::Instruction& in = code.instruction(index);
  const observe::InstructionInfo& info = code.info(index);
  if (info.uses.writes().empty()) return {};
  const MemoryOperation& operation = info.operation;
  if (operation.kind == MemoryOperation::Kind::load && !operation.lds_dma &&
      (in.encoding == isa::Encoding::smem || operation.bytes == 4))
    return loaded_by(in, info.uses);
  if (operation.kind != MemoryOperation::Kind::none || in.extension != isa::Extension::none) return {};
  const bool by_table = in.row && in.row->bits == isa::BitFunction::truth_table;
  const auto form = bit_form_of(in);
  if (!by_table && (!form || in.has_modifiers())) return {};
  Operand operands[3] = {operand(in.src[0]), operand(in.src[1]), operand(in.src[2])};
  uint32_t table = by_table ? isa::truth_table_of(in) : form->table;
  const isa::RegisterRange& into = info.uses.writes().front();
  if (!by_table && form->shifted != BitForm::none) {
    operands[0] = shifted(operands[form->shifted], operands[1 - form->shifted]);
    operands[1] = operands[2];
    operands[2] = {};
  }
  if (table == BitForm::first_source) return {{{into.file, into.first}, operands[0].scaled}};
  return {{{into.file, into.first}, combined(table, operands)}};
}

void ScaledValues::execute(const Code& code, size_t index) {
  const isa::Instruction& in = code.instruction(index);
  const Registers written = written_by(code, index);
  const bool all_lanes = bits_.executes_in_all_lanes();
  bits_.execute(code, index);
  if (code.steps()[index].leaves != Leaves::no || isa::moves_by_m0(isa::scalar_of(in)))
    return registers_.clear();
  for (const isa::RegisterRange& range : code.info(index).uses.writes())
    for (int r = range.first; r < range.first + range.count; ++r) {
      const std::pair key(range.file, r);
      const auto found = written.find(key);
      Scaled value = found == written.end() ? Scaled() : found->second;
      // Lanes that do not execute keep what they have.
      if (range.file == File::vector && !all_lanes) value = either(value, of(range.file, r));
      if (value.kind == ScaledKind::unknown)
        registers_.erase(key);
      else
        registers_[key] = value;
    }
}

} // namespace fmha950::static_check
