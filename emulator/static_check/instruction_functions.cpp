#include "emulator/static_check/instruction_functions.hpp"

#include "emulator/program/row.hpp"
#include "emulator/program/truth_table.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using isa::Arithmetic, isa::BitFunction, isa::Relation;

bool is_valu(const isa::Row& row) { return row.valu.kind != isa::ValuClass::none; }
bool is_wide(const isa::Row& row) { // whether the result has 64 bits
  return is_valu(row) ? row.valu.writes == isa::all_bytes : row.constant[0] == isa::ConstantType::i64;
}
bool copies(const isa::Row& row) {
  return is_valu(row) ? row.valu.flow == isa::ValuFlow::copy : row.bits == BitFunction::copy;
}
bool selects(const isa::Row& row) {
  return is_valu(row) ? row.valu.flow == isa::ValuFlow::select : row.bits == BitFunction::select;
}
// Of SOPK the first source is the destination and the second a constant: Instruction::src holds neither.
bool has_sources(const isa::Instruction& in) { return in.row && in.encoding != isa::Encoding::sopk; }

std::optional<Predicate> signless(Relation relation) {
  switch (relation) {
  case Relation::equal: return {{Predicate::equal, false}};
  case Relation::different: return {{Predicate::equal, true}};
  case Relation::less: return {{Predicate::less, false}};
  case Relation::at_least: return {{Predicate::less, true}};
  case Relation::greater: return {{Predicate::greater, false}};
  case Relation::at_most: return {{Predicate::greater, true}};
  case Relation::bit_one: return {{Predicate::bit, false}};
  case Relation::bit_zero: return {{Predicate::bit, true}};
  case Relation::none:
  case Relation::other: return std::nullopt;
  }
  return std::nullopt;
}
std::optional<Predicate> predicate_by(const isa::Comparison& comparison) {
  auto predicate = signless(comparison.relation);
  if (!predicate || comparison.numbers != isa::Comparison::Numbers::with_sign) return predicate;
  if (predicate->kind == Predicate::less) predicate->kind = Predicate::less_signed;
  if (predicate->kind == Predicate::greater) predicate->kind = Predicate::greater_signed;
  return predicate;
}

using B = KnownBits;
template <BitFunction function> B by_bits(B a, B b, B c) {
  return bitwise(*isa::truth_table_of(function), a, b, c);
}

std::optional<LinearUse> linear_use_by(Arithmetic arithmetic) {
  switch (arithmetic) {
  case Arithmetic::add: return {{LinearUse::sum}};
  case Arithmetic::subtract: return {{LinearUse::difference}};
  case Arithmetic::minimum: return {{LinearUse::minimum}};
  default: return std::nullopt; // unsigned scalar sums are those of addresses
  }
}

constexpr PointerUse one_source{.sources = 1}, two_sources{.sources = 3}, third_source{.sources = 4},
    offset{};
std::optional<PointerUse> pointer_use_by(Arithmetic arithmetic) {
  switch (arithmetic) {
  case Arithmetic::add:
  case Arithmetic::add_unsigned:
  case Arithmetic::add_carry: return two_sources;
  case Arithmetic::multiply_add: return third_source;
  case Arithmetic::multiply:
  case Arithmetic::field:
  case Arithmetic::in_f64: return offset;
  default: return std::nullopt;
  }
}
std::optional<PointerUse> pointer_use_by(BitFunction function) {
  switch (function) {
  case BitFunction::add:
  case BitFunction::bit_and:
  case BitFunction::bit_or: return two_sources;
  case BitFunction::add3: return {{.sources = 7}};
  case BitFunction::shift_add_32: return third_source;
  case BitFunction::shift_add_64: return {{.sources = 5, .shifts_first = true}};
  case BitFunction::multiply:
  case BitFunction::field:
  case BitFunction::shift_left_32:
  case BitFunction::shift_left_64:
  case BitFunction::shift_left_back_32:
  case BitFunction::shift_left_back_64:
  case BitFunction::shift_right_32:
  case BitFunction::shift_right_64:
  case BitFunction::shift_right_back_32:
  case BitFunction::shift_right_back_64:
  case BitFunction::shift_right_signed_32:
  case BitFunction::shift_right_signed_64:
  case BitFunction::shift_right_signed_back_32:
  case BitFunction::shift_right_signed_back_64: return offset;
  default: return std::nullopt;
  }
}

} // namespace

bool reads_special(const isa::Instruction& in) {
  return std::ranges::any_of(
      in.src, [](const isa::Source& source) { return source.kind == isa::Source::Kind::special; });
}

std::optional<unsigned> mask_table_of(const isa::Instruction& in) {
  const isa::ScalarRole role = isa::scalar_of(in);
  if ((role != isa::ScalarRole::plain && role != isa::ScalarRole::saves_exec) || !is_wide(*in.row))
    return std::nullopt;
  const auto table = isa::truth_table_of(in.row->bits);
  if (!table) return std::nullopt;
  unsigned of_two = 0; // there is no third source
  for (unsigned entry = 0; entry < 4; ++entry) of_two |= (*table >> 2 * entry & 1) << entry;
  return of_two;
}

std::optional<Predicate> predicate_of(const isa::Instruction& in) {
  return in.row && !is_valu(*in.row) ? predicate_by(in.row->comparison) : std::nullopt;
}
std::optional<Predicate> lane_predicate_of(const isa::Instruction& in) {
  if (!in.row || !is_valu(*in.row) || in.row->comparison.sets_exec || in.row->comparison.bits != 32)
    return std::nullopt;
  const auto predicate = predicate_by(in.row->comparison);
  const bool is_ordered = predicate && (predicate->kind == Predicate::less_signed ||
                                        predicate->kind == Predicate::greater_signed);
  return is_ordered ? predicate : std::nullopt;
}

std::optional<LinearUse> linear_use_of(const isa::Instruction& in) {
  if (!has_sources(in) || is_wide(*in.row)) return std::nullopt;
  if (copies(*in.row)) return {{LinearUse::copy}};
  switch (in.row->bits) {
  case BitFunction::add: return {{LinearUse::sum}};
  case BitFunction::subtract: return {{LinearUse::difference}};
  case BitFunction::subtract_back: return {{LinearUse::difference, 1, 0}};
  case BitFunction::shift_left_32: return {{LinearUse::shifted_left}};
  case BitFunction::shift_left_back_32: return {{LinearUse::shifted_left, 1, 0}};
  case BitFunction::shift_add_32: return {{LinearUse::shifted_left_sum}};
  case BitFunction::shift_right_signed_32: return {{LinearUse::shifted_right}};
  default: return linear_use_by(in.row->arithmetic);
  }
}

Evaluate evaluation_of(const isa::Instruction& in) {
  if (!in.row || is_wide(*in.row)) return nullptr;
  if (copies(*in.row)) return [](B a, B, B) { return a; };
  if (selects(*in.row)) return [](B a, B b, B) { return common(a, b); };
  constexpr Evaluate add = [](B a, B b, B) { return sum(a, b); };
  constexpr Evaluate subtract = [](B a, B b, B) { return difference(a, b); };
  switch (in.row->bits) {
  case BitFunction::bit_and: return by_bits<BitFunction::bit_and>;
  case BitFunction::bit_or: return by_bits<BitFunction::bit_or>;
  case BitFunction::bit_xor: return by_bits<BitFunction::bit_xor>;
  case BitFunction::and_not: return by_bits<BitFunction::and_not>;
  case BitFunction::or3: return by_bits<BitFunction::or3>;
  case BitFunction::and_or: return by_bits<BitFunction::and_or>;
  case BitFunction::add: return add;
  case BitFunction::subtract: return subtract;
  case BitFunction::subtract_back: return [](B a, B b, B) { return difference(b, a); };
  case BitFunction::add3: return [](B a, B b, B c) { return sum(sum(a, b), c); };
  case BitFunction::shift_left_32: return [](B a, B b, B) { return shifted_left(a, b); };
  case BitFunction::shift_left_back_32: return [](B a, B b, B) { return shifted_left(b, a); };
  case BitFunction::shift_right_32: return [](B a, B b, B) { return shifted_right(a, b); };
  case BitFunction::shift_right_back_32: return [](B a, B b, B) { return shifted_right(b, a); };
  case BitFunction::shift_add_32: return [](B a, B b, B c) { return sum(shifted_left(a, b), c); };
  case BitFunction::add_shift: return [](B a, B b, B c) { return shifted_left(sum(a, b), c); };
  case BitFunction::shift_or:
    return [](B a, B b, B c) { return by_bits<BitFunction::bit_or>(shifted_left(a, b), c, {}); };
  case BitFunction::xor_add:
    return [](B a, B b, B c) { return sum(by_bits<BitFunction::bit_xor>(a, b, {}), c); };
  default: break;
  }
  switch (in.row->arithmetic) {
  case Arithmetic::add:
  case Arithmetic::add_unsigned: return add;
  case Arithmetic::subtract:
  case Arithmetic::subtract_unsigned: return subtract;
  default: return nullptr;
  }
}

std::optional<BitForm> bit_form_of(const isa::Instruction& in) {
  if (!has_sources(in) || is_wide(*in.row)) return std::nullopt;
  if (copies(*in.row)) return BitForm();
  switch (in.row->bits) {
  case BitFunction::bit_not:
  case BitFunction::bit_and:
  case BitFunction::and_not:
  case BitFunction::bit_or:
  case BitFunction::or3:
  case BitFunction::and_or: return {{*isa::truth_table_of(in.row->bits)}};
  case BitFunction::shift_left_32: return {{BitForm::first_source, 0}};
  case BitFunction::shift_left_back_32: return {{BitForm::first_source, 1}};
  case BitFunction::shift_or: return {{*isa::truth_table_of(BitFunction::bit_or), 0}};
  default: return std::nullopt;
  }
}

std::optional<PointerUse> pointer_use_of(const isa::Instruction& in) {
  if (!has_sources(in)) return std::nullopt;
  const isa::Row& row = *in.row;
  // A mask of lanes is no pointer.
  const bool combines_masks =
      is_wide(row) && (row.bits == BitFunction::bit_and || row.bits == BitFunction::bit_or);
  if (combines_masks) return std::nullopt;
  auto use = pointer_use_by(row.bits);
  if (!use) use = pointer_use_by(row.arithmetic);
  if (copies(row) || row.valu.is_lane_read()) use = one_source;
  if (selects(row)) use = {.sources = 3, .selects = true};
  if (use) use->wide = is_wide(row);
  return use;
}

} // namespace fmha950::static_check
