#include "emulator/observe/initialised/initialised_rules.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {
namespace {

namespace code = machine::code;
using isa::Encoding;
using isa::RegisterRange;
using Kind = InitialisedInfo::Kind;

// --- operands ---

// Sources in encoding order, as wide as LLVM says they are: its operands come in the same order, without
// constants. Encodings have fields for sources that the instruction does not have; those match nothing.
void find_sources(const isa::Instruction& in, const isa::Uses& uses, InitialisedInfo& info) {
  size_t next = 0;
  const auto reads = uses.reads();
  for (int i = 0; i < 3; ++i) {
    const isa::Source& source = in.src[i];
    if (source.kind == isa::Source::Kind::special) {
      if (source.index == code::scc) info.source[i] = {ValueSource::Kind::scalar, 1, code::scc};
      if (source.index == code::vccz) info.source[i] = {ValueSource::Kind::scalar, 2, code::vcc};
    }
    const bool vector = source.kind == isa::Source::Kind::vgpr;
    if (!vector && source.kind != isa::Source::Kind::sgpr) continue;
    const auto file = vector ? RegisterRange::File::vector : RegisterRange::File::scalar;
    for (size_t r = next; r < reads.size(); ++r)
      if (reads[r].file == file && reads[r].first == source.index) {
        info.source[i] = {vector ? ValueSource::Kind::vector : ValueSource::Kind::scalar, reads[r].count,
                          source.index};
        next = r + 1;
        break;
      }
  }
}

uint8_t vgprs_written(const isa::Uses& uses) {
  for (const RegisterRange& range : uses.writes())
    if (range.file == RegisterRange::File::vector) return range.count;
  return 0;
}
uint8_t sgprs_written(const isa::Uses& uses) {
  for (const RegisterRange& range : uses.writes())
    if (!range.implicit) return range.count;
  return 0;
}

// --- vector instructions ---

bool has_wide_operand(const InitialisedInfo& info) {
  if (info.results > 2) return true;
  for (const ValueSource& source : info.source)
    if (source.kind == ValueSource::Kind::vector && source.registers > 2) return true;
  return false;
}

Kind vector_kind(const isa::Instruction& in, InitialisedInfo& info) {
  if (isa::matrix_of(in)) return Kind::matrix;
  switch (isa::valu_of(in).flow) {
  case isa::ValuFlow::nothing: return Kind::nothing;
  case isa::ValuFlow::compare: return Kind::compare;
  case isa::ValuFlow::select: return Kind::select;
  case isa::ValuFlow::read_first_lane:
  case isa::ValuFlow::read_lane: return Kind::read_lane;
  case isa::ValuFlow::write_lane: return Kind::write_lane;
  case isa::ValuFlow::swap: return Kind::swap;
  case isa::ValuFlow::swap_rows_16:
  case isa::ValuFlow::swap_rows_32: return Kind::permlane_swap;
  default: break;
  }
  if ((info.bits = bits_rule_of(in))) return Kind::bits;
  return has_wide_operand(info) ? Kind::wide : Kind::bytes;
}

void describe_vector(const isa::Instruction& in, const isa::Uses& uses, InitialisedInfo& info) {
  const isa::MatrixFacts* matrix = isa::matrix_of(in);
  const isa::ValuFacts& facts = isa::valu_of(in);
  const bool sparse = matrix && matrix->form == isa::MatrixForm::sparse;
  info.results = vgprs_written(uses);
  if (sparse) info.source[3] = {ValueSource::Kind::vector, 1, in.src[2].index}; // indices
  if (sparse || facts.accumulates) info.source[2] = {ValueSource::Kind::vector, info.results, in.dst};
  if (facts.takes_mask) {
    info.source[2].kind =
        in.src[2].kind == isa::Source::Kind::sgpr ? ValueSource::Kind::lane_mask : ValueSource::Kind::none;
    info.source[2].first = in.src[2].index;
  }
  if (facts.takes_vcc) info.source[3] = {ValueSource::Kind::lane_mask, 2, code::vcc};
  info.kind = vector_kind(in, info);
  if (info.kind == Kind::bytes || info.kind == Kind::compare) info.bytes = byte_dependence_of(in, info);
}

// --- scalar instructions ---

Kind scalar_kind(const isa::Instruction& in, const isa::Uses& uses, InitialisedInfo& info) {
  const isa::ControlRole role = isa::control_of(in);
  if (role == isa::ControlRole::branch_if || role == isa::ControlRole::fork) return Kind::branch;
  if (role == isa::ControlRole::jump || role == isa::ControlRole::call) return Kind::jump;
  if (isa::sets_index(role)) return Kind::vgpr_index;
  if (role == isa::ControlRole::set_vskip) return Kind::branch;
  if (in.encoding == Encoding::sopp && uses.reads().empty()) return Kind::nothing;
  info.bits = bits_rule_of(in);
  switch (in.row->scalar) {
  case isa::ScalarRole::moves_from:
  case isa::ScalarRole::moves_to: return Kind::move_relative;
  case isa::ScalarRole::saves_exec:
  case isa::ScalarRole::writes_exec: return Kind::exec;
  case isa::ScalarRole::unsaid:
  case isa::ScalarRole::plain:
  case isa::ScalarRole::updates: break;
  }
  return Kind::scalar;
}

// --- memory instructions ---

constexpr int flat_saddr_off = 0x7F;

// What decides where a memory instruction goes: address VGPRs, descriptor, offsets, M0.
void describe_memory(const isa::Instruction& in, const isa::Uses& uses, InitialisedInfo& info) {
  info.kind = Kind::memory;
  info.results = in.encoding == Encoding::smem ? sgprs_written(uses) : vgprs_written(uses);
  const isa::MemoryFacts& facts = isa::memory_of(in);
  info.sign_extended = facts.sign_extended;
  info.d16 = facts.d16;
  info.formatted = facts.formatted;
  info.high_half = facts.high_half;
  info.two_operands = facts.two_operands;
  info.exchanges = facts.swaps;
  info.transposed_bits = facts.transposed_bits;
  int next = 0;
  const auto vector = [&](uint16_t first, uint8_t count) {
    info.source[next++] = {ValueSource::Kind::vector, count, first};
  };
  const auto scalar = [&](uint16_t first, uint8_t count) {
    info.source[next++] = {ValueSource::Kind::scalar, count, first};
  };
  switch (in.encoding) {
  case Encoding::ds:
    if (facts.segment == isa::Segment::lds_by_m0) scalar(code::m0, 1);
    if (facts.segment == isa::Segment::lds) vector(in.vaddr, 1);
    break;
  case Encoding::smem:
    if (!facts.has_data()) break;
    scalar(in.saddr, facts.segment == isa::Segment::buffer ? 4 : 2);
    if (in.src[0].kind == isa::Source::Kind::sgpr) scalar(in.src[0].index, 1);
    break;
  case Encoding::flat: {
    const bool scratch = facts.segment == isa::Segment::scratch,
               saddr = in.saddr != flat_saddr_off && facts.segment != isa::Segment::flat;
    if (!scratch || in.words[0] >> 13 & 1) vector(in.vaddr, scratch || saddr ? 1 : 2);
    if (saddr) scalar(in.saddr, scratch ? 1 : 2);
    break;
  }
  default: // mubuf, mtbuf
    if (!facts.has_data()) break;
    scalar(in.saddr, 4);
    if (in.offen || in.idxen) vector(in.vaddr, in.offen && in.idxen ? 2 : 1);
    if (in.src[0].kind == isa::Source::Kind::sgpr) scalar(in.src[0].index, 1);
  }
  if (isa::is_lds_dma(in)) scalar(code::m0, 1);
  for (const ValueSource& source : info.source)
    if (source.kind != ValueSource::Kind::none)
      info.touched.add({source.kind == ValueSource::Kind::vector ? RegisterRange::File::vector
                                                                 : RegisterRange::File::scalar,
                        false, source.first, source.registers});
}

} // namespace

InitialisedInfo initialised_info_of(const isa::Instruction& in, const isa::Uses& uses) {
  InitialisedInfo info;
  if (!in.row || !in.row->execute) return info;
  switch (in.encoding) {
  case Encoding::ds:
  case Encoding::smem:
  case Encoding::mubuf:
  case Encoding::mtbuf:
  case Encoding::flat: describe_memory(in, uses, info); return info;
  case Encoding::sop1:
  case Encoding::sop2:
  case Encoding::sopk:
  case Encoding::sopc:
  case Encoding::sopp:
    find_sources(in, uses, info);
    info.results = sgprs_written(uses);
    info.kind = scalar_kind(in, uses, info);
    break;
  case Encoding::vop1:
  case Encoding::vop2:
  case Encoding::vopc:
  case Encoding::vop3:
  case Encoding::vop3p:
  case Encoding::mai: find_sources(in, uses, info); describe_vector(in, uses, info);
  }
  for (const RegisterRange& range : uses.reads()) info.touched.add(range);
  for (const RegisterRange& range : uses.writes()) {
    info.touched.add(range);
    info.writes_scc |= range.file == RegisterRange::File::scalar && range.first == code::scc;
    info.writes_exec |= range.file == RegisterRange::File::scalar && range.first == code::exec;
  }
  if (info.kind == Kind::move_relative) // any SGPR: M0 says which
    info.touched.add({RegisterRange::File::scalar, false, 0, code::vcc});
  return info;
}

} // namespace fmha950::observe
