#include "emulator/program/vgpr_indexing.hpp"

#include "emulator/isa/decode/fields.hpp"
#include "emulator/isa/uses.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>

namespace fmha950::isa {
namespace {

constexpr int destination = 3; // VgprIndex::operands

struct Field { // of a VGPR's number; sources have a ninth bit above, which says that it is one
  int word, low, operand;
};

class Mover {
 public:
  Mover(const Instruction& in, VgprIndex index, uint32_t accum_offset, uint32_t vgpr_count)
      : in_(in), index_(index), accum_offset_(accum_offset), vgpr_count_(vgpr_count) {
    moved_.address = in.address;
    moved_.laid_out_at = in.laid_out_at;
    moved_.execute = in.execute;
    moved_.row = in.row;
    moved_.bytes = in.bytes;
    for (int i = 0; i < 4; ++i) moved_.words[i] = in.words[i];
  }

  std::optional<Instruction> moved() {
    switch (in_.encoding) {
    case Encoding::vop1: short_form(true, false); break;
    case Encoding::vop2: short_form(true, true); break;
    case Encoding::vopc: short_form(false, true); break;
    default: // vop3, vop3p, moves between the files
      for (int i = 0; i < 3; ++i) source({1, 9 * i, i});
      result({0, 0, destination});
    }
    if (is_no_operation_) return std::nullopt;
    decode_fields(moved_, in_.row->mnemonic, accum_offset_);
    return moved_;
  }

 private:
  void short_form(bool has_result, bool has_second) {
    const bool extended = in_.extension != Extension::none;
    if (in_.src[0].kind == Source::Kind::vgpr) source({extended, 0, 0});
    // D = S0 * K + S1: the VALU receives the second register as its third source.
    if (has_second) source({0, 9, in_.src[1].kind == Source::Kind::vgpr ? 1 : 2});
    if (has_result) result({0, 17, destination});
  }

  void source(Field field) {
    const Source& source = in_.src[field.operand];
    const ValuFacts& facts = valu_of(in_);
    const bool swaps = facts.flow == ValuFlow::swap || facts.is_row_swap();
    if (source.kind == Source::Kind::vgpr) move(field, source.index, swaps);
  }
  void result(Field field) {
    const ValuFacts& facts = valu_of(in_);
    if (facts.is_lane_read() || facts.flow == ValuFlow::compare || facts.flow == ValuFlow::nothing) return;
    move(field, in_.dst, true);
  }

  // `from` is the register's number in the unified file, the field's that in its own.
  void move(Field field, uint32_t from, bool written) {
    if (!(index_.operands >> field.operand & 1)) return;
    uint32_t& word = moved_.words[field.word];
    const uint32_t own = word >> field.low & 0xFF, to = own + index_.distance;
    const bool accumulator = from != own;
    const uint32_t end = accumulator ? vgpr_count_ - accum_offset_ : std::min(accum_offset_, vgpr_count_);
    const bool outside = to + valu_of(in_).widest > end && to + count_of(from, written) > end;
    if (outside && written) is_no_operation_ = true;
    word = (word & ~(0xFFu << field.low)) | (outside ? 0 : to) << field.low;
  }

  // Only at the end of the file it matters that an operand may be narrower than the widest one.
  uint32_t count_of(uint32_t first, bool written) const {
    const Uses uses = uses_of(in_, accum_offset_);
    for (const RegisterRange& range : written ? uses.writes() : uses.reads())
      if (range.file == RegisterRange::File::vector && range.first == first) return range.count;
    return 1;
  }

  const Instruction& in_;
  const VgprIndex index_;
  const uint32_t accum_offset_, vgpr_count_;
  Instruction moved_;
  bool is_no_operation_ = false;
};

} // namespace

std::optional<Instruction> indexed(const Instruction& in, VgprIndex index, uint32_t accum_offset,
                                   uint32_t vgpr_count) {
  if (!in.row || index.operands == 0 || index.distance == 0) return in;
  if (matrix_of(in))
    machine::raise_fault("a matrix instruction while M0 moves registers: nothing public says what it does");
  return Mover(in, index, accum_offset, vgpr_count).moved();
}

} // namespace fmha950::isa
