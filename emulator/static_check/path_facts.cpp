#include "emulator/static_check/path_facts.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/branch_condition.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace fmha950::static_check {
namespace {

namespace code_of = machine::code;
using File = isa::RegisterRange::File;
using Mask = PathFacts::Mask;

Mask combine(unsigned table, const Mask& a, const Mask& b) {
  return a && b ? Mask(static_check::combine(table, *a, *b)) : std::nullopt;
}

// Of one kind that a path keeps: every branch copies them. Without a fact more paths are possible.
constexpr size_t most_facts = 16;

// SOPK compares its destination with a constant, which has a sign where the comparison has one.
std::array<isa::Source, 2> compared_by(const isa::Instruction& in) {
  if (in.encoding != isa::Encoding::sopk) return {in.src[0], in.src[1]};
  const bool with_sign = in.row->comparison.numbers == isa::Comparison::Numbers::with_sign;
  const auto constant = static_cast<uint32_t>(with_sign ? in.simm16 : in.simm16 & 0xFFFF);
  return {isa::Source{.kind = isa::Source::Kind::sgpr, .index = in.dst},
          isa::Source{.kind = isa::Source::Kind::constant, .value = constant}};
}

} // namespace

PathFacts::PathFacts(const Code& code, const CommonValues& common, const LinearValuesBefore* linear,
                     size_t from)
    : code_(&code), common_(&common), at_start_(common.before(code, from)), scc_{{}, "scc at start"} {
  if (!linear) return;
  linear_ = linear->of(from);
  // A vector operation that no lane executes does nothing.
  if (code.instruction(from).encoding != isa::Encoding::smem) compared_ = linear_->in_lanes();
}

Mask PathFacts::pair(int code) {
  const auto found = pairs_.find(code);
  if (found != pairs_.end()) return found->second;
  Mask mask;
  const auto low = at_start_.find(code), high = at_start_.find(code + 1);
  if (low != at_start_.end() && high != at_start_.end())
    mask = LaneSet::of(low->second | uint64_t{high->second} << 32);
  else if (atoms_ < LaneSet::most_atoms)
    mask = LaneSet::atom(atoms_++);
  pairs_[code] = mask;
  return mask;
}

Mask PathFacts::source(const isa::Instruction& in, int number) {
  const isa::Source& source = in.src[number];
  if (source.kind == isa::Source::Kind::sgpr) return pair(source.index);
  if (source.kind == isa::Source::Kind::constant) return LaneSet::of(source.value);
  return std::nullopt;
}

void PathFacts::forget(const isa::RegisterRange& range) {
  if (range.file == File::vector) return;
  for (int r = range.first; r < range.first + range.count; ++r) {
    ++versions_[r];
    at_start_.erase(r);
    pairs_.erase(r);
    pairs_.erase(r - 1);
    if (r == code_of::scc) scc_ = {{}, fmt::format("scc {}", versions_[r]), false};
  }
}

void PathFacts::set_pair(int code, const Mask& mask) {
  forget({File::scalar, false, static_cast<uint16_t>(code), 2});
  pairs_[code] = mask;
}

// What all waves have in common is what the instruction writes.
bool PathFacts::set_common(size_t index) {
  const CommonValues::Scalars& written = common_->written_by(index);
  for (const auto& [r, low] : written)
    if (const auto high = written.find(r + 1); high != written.end() && r != code_of::exec + 1)
      pairs_[r] = LaneSet::of(low | uint64_t{high->second} << 32);
  return !written.empty();
}

bool PathFacts::execute_mask(const isa::Instruction& in, bool writes_scc) {
  const auto table = mask_table_of(in);
  if (!table) return false;
  const bool saves = isa::scalar_of(in) == isa::ScalarRole::saves_exec;
  const Mask before = exec(), first = source(in, 0);
  const bool of_one = in.encoding == isa::Encoding::sop1 && !saves;
  const Mask result = combine(*table, first, saves ? before : of_one ? first : source(in, 1));
  set_pair(in.dst, saves ? before : result);
  if (saves) set_pair(code_of::exec, result);
  if (!writes_scc) return true;
  forget({File::scalar, false, code_of::scc, 1});
  if (result) scc_ = {result, "", false};
  return true;
}

// The same text for all that compare the same values: those of constants, and of registers as they were written last.
PathFacts::Condition PathFacts::condition_of(const Predicate& predicate, size_t index) const {
  const isa::Instruction& in = code_->instruction(index);
  std::string comparison =
      fmt::format("{} of {} bits", static_cast<int>(predicate.kind), in.row->comparison.bits);
  for (const isa::Source& source : compared_by(in))
    comparison += source.kind == isa::Source::Kind::constant
                      ? fmt::format(" {:#x}", source.value)
                      : fmt::format(" {}:{}", static_cast<int>(source.kind), source.index);
  const isa::Uses& uses = code_->info(index).uses;
  for (const isa::RegisterRange& range : uses.reads())
    for (int r = range.first; r < range.first + range.count; ++r) {
      const auto version = versions_.find(r);
      comparison += fmt::format(" {}.{}", r, version == versions_.end() ? 0 : version->second);
    }
  return {{}, std::move(comparison), predicate.contrary};
}

// Numbers that are made anew are others than those that were compared.
void PathFacts::execute_linear(size_t index, bool writes_scc) {
  if (!linear_) return;
  if (writes_scc)
    for (bool outcome : {false, true}) if_scc_[outcome] = linear_->if_compared(index, outcome);
  linear_->execute(index);
  for (Inequalities* all : {&compared_, &if_scc_[0], &if_scc_[1]})
    std::erase_if(*all, [&](const LinearForm& form) { return LinearValues::has_number_of(form, index); });
}

void PathFacts::execute(size_t index) {
  const isa::Instruction& in = code_->instruction(index);
  const isa::Uses& uses = code_->info(index).uses;
  const bool writes_scc = holds_scalar(uses.writes(), code_of::scc);
  execute_linear(index, writes_scc);
  if (isa::moves_by_m0(isa::scalar_of(in))) {
    for (const isa::RegisterRange& range : uses.writes()) forget(range);
    return forget({File::scalar, false, 0, code_of::m0});
  }
  if (execute_mask(in, writes_scc)) {
    set_common(index);
    return;
  }
  // Of what a special source goes by, no version is kept.
  const auto predicate = reads_special(in) ? std::nullopt : predicate_of(in);
  Condition condition;
  if (predicate) condition = condition_of(*predicate, index);
  for (const isa::RegisterRange& range : uses.writes()) forget(range);
  if (predicate) scc_ = std::move(condition);
  set_common(index);
}

// Whether the mask may have lanes, or may have none; then that is how it is.
bool PathFacts::assume_lanes(const LaneSet& mask, bool some) {
  const auto is_empty = [&](const LaneSet& each) { return (each & possible_).empty(); };
  if (some) {
    if (some_.size() < most_facts && std::ranges::find(some_, mask) == some_.end()) some_.push_back(mask);
    return !is_empty(mask);
  }
  possible_ = possible_ & ~mask;
  // Every lane is some way.
  return possible_.lanes() == ~uint64_t{0} && std::ranges::none_of(some_, is_empty);
}

bool PathFacts::go(size_t branch, bool taken) {
  const BranchCondition condition = condition_of_branch(*code_, branch);
  const bool holds = taken != condition.taken_at_zero;
  if (condition.code == code_of::exec || condition.code == code_of::vcc) {
    const Mask mask = pair(condition.code);
    return !mask || assume_lanes(*mask, holds);
  }
  if (condition.code != code_of::scc) return true;
  if (scc_.mask) return assume_lanes(*scc_.mask, holds);
  if (linear_ && !if_scc_[holds].empty()) {
    compared_.insert(if_scc_[holds].begin(), if_scc_[holds].end());
    Inequalities all = linear_->known();
    all.insert(compared_.begin(), compared_.end());
    if (contradict(all)) return false;
  }
  const bool outcome = holds != scc_.inverted;
  if (outcomes_.size() == most_facts) outcomes_.clear();
  return outcomes_.try_emplace(scc_.comparison, outcome).first->second == outcome;
}

bool PathFacts::may_meet(const Mask& a, const Mask& b) const {
  return !a || !b || !(*a & *b & possible_).empty();
}

} // namespace fmha950::static_check
