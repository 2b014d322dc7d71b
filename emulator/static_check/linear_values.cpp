#include "emulator/static_check/linear_values.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

namespace code_of = machine::code;
using Kind = LinearUse::Kind;

const LaneSet every_lane = LaneSet::of(~uint64_t{0});
constexpr uint32_t largest_range = 1u << 16;         // of a result that is only known to lie in one
constexpr int64_t largest_number = int64_t{1} << 32; // a form of larger ones is not followed

LinearForm::Number number_of(size_t index, int r) { return (index + 1) << 8 | static_cast<uint64_t>(r); }

// What both say.
void keep_common(Inequalities& all, const Inequalities& other) {
  std::erase_if(all, [&](const LinearForm& each) { return !other.contains(each); });
}
} // namespace

bool LinearValues::has_number_of(const LinearForm& form, size_t index) {
  return std::ranges::any_of(form.terms, [&](const auto& term) { return term.first >> 8 == index + 1; });
}

LinearValues LinearValues::at_entry(const Code& code, const KnownResults& results) {
  LinearValues values(code, results);
  values.in_mask_[code_of::exec];
  if (code.most_waves() > 0) values.lanes_[code_of::exec] = every_lane;
  return values;
}

bool LinearValues::join(const LinearValues& other) {
  const size_t before = forms_.size() + known_.size() + in_mask_.size() + lanes_.size();
  std::erase_if(forms_, [&](const auto& each) {
    const auto found = other.forms_.find(each.first);
    return found == other.forms_.end() || found->second != each.second;
  });
  keep_common(known_, other.known_);
  std::erase_if(in_mask_, [&](const auto& each) { return !other.in_mask_.contains(each.first); });
  bool lost = false;
  for (auto& [mask, holds] : in_mask_) {
    const size_t all = holds.size();
    keep_common(holds, other.in_mask_.at(mask));
    lost |= holds.size() != all;
  }
  std::erase_if(lanes_, [&](const auto& each) {
    const auto found = other.lanes_.find(each.first);
    return found == other.lanes_.end() || !(found->second == each.second);
  });
  return lost || before != forms_.size() + known_.size() + in_mask_.size() + lanes_.size();
}

const Inequalities& LinearValues::in_lanes() const { return in_mask_.at(code_of::exec); }

LinearValues::Form LinearValues::form(File file, int r) const {
  const auto found = forms_.find({file, r});
  return found == forms_.end() ? Form() : Form(found->second);
}
LinearValues::Form LinearValues::operand(const isa::Source& source) const {
  switch (source.kind) {
  case isa::Source::Kind::constant: return LinearForm::of(static_cast<int32_t>(source.value));
  case isa::Source::Kind::sgpr: return form(File::scalar, source.index);
  case isa::Source::Kind::vgpr: return form(File::vector, source.index);
  default: return std::nullopt;
  }
}

// `with` gets what is known of numbers that the instruction makes.
LinearValues::Form LinearValues::result_of(size_t index, Inequalities& with) const {
  const isa::Instruction& in = code_->instruction(index);
  const auto use = linear_use_of(in);
  if (!use || in.extension != isa::Extension::none || in.has_modifiers()) return std::nullopt;
  const Form a = operand(in.src[use->first]), b = operand(in.src[use->second]);
  const LinearForm made = LinearForm::unknown(number_of(index, 0));
  const bool constant_second = b && b->terms.empty() && b->least == b->most && b->least >= 0 && b->least < 31;
  const int64_t power = constant_second ? int64_t{1} << b->least : 0;
  switch (use->kind) {
  case Kind::copy: return a;
  case Kind::sum: return a && b ? Form(sum(*a, *b)) : std::nullopt;
  case Kind::difference: return a && b ? Form(difference(*a, *b)) : std::nullopt;
  case Kind::shifted_left: return a && power ? Form(multiple(*a, power)) : std::nullopt;
  case Kind::shifted_left_sum: {
    const Form c = operand(in.src[2]);
    return a && power && c ? Form(sum(multiple(*a, power), *c)) : std::nullopt;
  }
  case Kind::shifted_right:
    if (!a || !power) return std::nullopt;
    with.insert(difference(multiple(made, power), *a));
    with.insert(sum(difference(*a, multiple(made, power)), LinearForm::of(1 - power)));
    return made;
  case Kind::minimum:
    for (const Form& source : {a, b})
      if (source) with.insert(difference(made, *source));
    return made;
  }
  return std::nullopt;
}

Inequalities LinearValues::compared(const isa::Instruction& in, const Predicate& predicate,
                                    bool outcome) const {
  const Form a = operand(in.src[0]), b = operand(in.src[1]);
  if (!a || !b || in.encoding == isa::Encoding::sopk) return {};
  const bool holds = outcome != predicate.contrary;
  const auto less = [](const LinearForm& x, const LinearForm& y) {
    return sum(difference(x, y), LinearForm::of(1));
  };
  switch (predicate.kind) {
  case Predicate::less_signed: return {holds ? less(*a, *b) : difference(*b, *a)};
  case Predicate::greater_signed: return {holds ? less(*b, *a) : difference(*a, *b)};
  default: return {};
  }
}

Inequalities LinearValues::if_compared(size_t index, bool outcome) const {
  const isa::Instruction& in = code_->instruction(index);
  const auto predicate = predicate_of(in);
  return predicate ? compared(in, *predicate, outcome) : Inequalities();
}

// A comparison has no lane that EXEC has not. What holds in the lanes of a mask holds in those of a part of it.
LinearValues::Masks LinearValues::masks_written(const isa::Instruction& in) const {
  Masks masks;
  if (isa::valu_of(in).flow == isa::ValuFlow::compare) {
    masks[in.sdst] = in_lanes();
    if (const auto predicate = lane_predicate_of(in); predicate && !in.has_modifiers())
      masks[in.sdst].merge(compared(in, *predicate, true));
  }
  const auto table = mask_table_of(in);
  if (!table) return masks;
  const bool saves = isa::scalar_of(in) == isa::ScalarRole::saves_exec;
  Inequalities result;
  const auto add = [&](bool is_part, const isa::Source* source, int mask) {
    if (source && source->kind == isa::Source::Kind::sgpr) mask = source->index;
    const auto found = in_mask_.find(mask);
    if (is_part && found != in_mask_.end()) result.insert(found->second.begin(), found->second.end());
  };
  add((*table & 0b0011) == 0, &in.src[0], -1);
  if (saves)
    add((*table & 0b0101) == 0, nullptr, code_of::exec);
  else if (in.encoding == isa::Encoding::sop2)
    add((*table & 0b0101) == 0, &in.src[1], -1);
  if (saves) masks[in.dst] = in_lanes();
  masks[saves ? code_of::exec : in.dst] = std::move(result);
  return masks;
}

// Of a mask that is not known, an atom that no other mask depends on; none where all are taken.
std::optional<LaneSet> LinearValues::lanes_of(int mask) {
  if (const auto found = lanes_.find(mask); found != lanes_.end()) return found->second;
  for (int atom = 0; atom < LaneSet::most_atoms; ++atom)
    if (std::ranges::none_of(lanes_, [&](const auto& each) { return each.second.depends_on(atom); }))
      return lanes_[mask] = LaneSet::atom(atom);
  return std::nullopt;
}
std::optional<LaneSet> LinearValues::lanes_of(const isa::Source& source) {
  if (source.kind == isa::Source::Kind::sgpr) return lanes_of(source.index);
  if (source.kind == isa::Source::Kind::constant) return LaneSet::of(source.value);
  return std::nullopt;
}

LinearValues::LaneSets LinearValues::lane_sets_written(const isa::Instruction& in) {
  const auto table = mask_table_of(in);
  if (!table) return {};
  const bool saves = isa::scalar_of(in) == isa::ScalarRole::saves_exec;
  const auto before = lanes_of(code_of::exec), first = lanes_of(in.src[0]);
  const auto second = saves ? before : in.encoding == isa::Encoding::sop2 ? lanes_of(in.src[1]) : first;
  LaneSets written;
  if (saves && before) written.emplace(in.dst, *before);
  if (first && second)
    written.insert_or_assign(saves ? code_of::exec : in.dst, combine(*table, *first, *second));
  return written;
}

void LinearValues::forget_numbers_of(size_t index) {
  const auto is_of = [&](const LinearForm& form) { return has_number_of(form, index); };
  std::erase_if(forms_, [&](const auto& each) { return is_of(each.second); });
  std::erase_if(known_, is_of);
  for (auto& [mask, holds] : in_mask_) std::erase_if(holds, is_of);
}

void LinearValues::execute(size_t index) {
  const isa::Instruction& in = code_->instruction(index);
  if (isa::moves_by_m0(isa::scalar_of(in)) || code_->steps()[index].leaves != Leaves::no) {
    *this = at_entry(*code_, *results_);
    lanes_.clear();
    return;
  }
  forget_numbers_of(index);
  const Masks masks = masks_written(in);
  const LaneSets lanes = lane_sets_written(in);
  const auto exec = lanes_.find(code_of::exec);
  const bool in_all_lanes = exec != lanes_.end() && exec->second == every_lane;
  Inequalities with;
  Form result = result_of(index, with);
  if (result && !result->is_within(largest_number, largest_number)) result.reset();
  const isa::Uses& uses = code_->info(index).uses;
  bool is_first = true;
  for (const isa::RegisterRange& range : uses.writes()) {
    for (int r = range.first; r < range.first + range.count; ++r) {
      const std::pair key(range.file, r);
      const KnownBits bits = is_first ? results_->of(index) : KnownBits();
      const bool takes_result = is_first && result && (range.file == File::scalar || in_all_lanes);
      forms_.erase(key);
      if (bits.is_value())
        forms_[key] = LinearForm::of(static_cast<int32_t>(bits.value));
      else if (takes_result)
        forms_[key] = *result;
      else if (bits.most() < largest_range)
        forms_[key] = {{}, bits.least(), bits.most()};
      else if (range.file == File::scalar)
        forms_[key] = LinearForm::unknown(number_of(index, r));
      if (takes_result) known_.merge(with);
      is_first = false;
      if (range.file == File::vector) continue;
      for (int mask : {r - 1, r}) {
        lanes_.erase(mask);
        in_mask_.erase(mask);
      }
    }
  }
  in_mask_.try_emplace(code_of::exec);
  for (const auto& [mask, holds] : masks) in_mask_[mask] = holds;
  for (const auto& [mask, which] : lanes) lanes_[mask] = which;
}

LinearValuesBefore::LinearValuesBefore(const Code& code)
    : code_(code), results_(code), at_block_(code.flow().blocks.size()) {
  propagate(code, 0, LinearValues::at_entry(code, results_), true, [&](LinearValues& values, size_t index) {
    if (code.flow().blocks[code.block_of(index)].begin == index) at_block_[code.block_of(index)] = values;
    values.execute(index);
  });
}

LinearValues LinearValuesBefore::of(size_t index) const {
  const size_t block = code_.block_of(index);
  LinearValues values = *at_block_[block];
  for (size_t i = code_.flow().blocks[block].begin; i < index; ++i) values.execute(i);
  return values;
}

} // namespace fmha950::static_check
