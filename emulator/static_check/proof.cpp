#include "emulator/static_check/proof.hpp"

#include "emulator/static_check/last_barrier.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace fmha950::static_check {
namespace {

using observe::Change;
using Verdict = Proof::Verdict;

// Of a proof that needs Premise::arguments_apart.
constexpr const char* premise =
    ", given that what a launch reads through one argument it does not write through "
    "another (interface/implementation.hpp)";

// Of a proof that needs Premise::exact_sums.
constexpr const char* exact_premise = ", given that sums and products that are compared as signed numbers "
                                      "are exact (interface/implementation.hpp)";

// Of a proof by BufferBounds::Within::entries.
constexpr const char* entries_premise = ", given that each entry of a table is below the count of what the "
                                        "table names (interface/implementation.hpp)";

} // namespace

const char* name_of(Verdict verdict) {
  static constexpr const char* names[] = {"proved", "refuted", "undecided"};
  return names[static_cast<size_t>(verdict)];
}

Prover::Prover(const loader::Kernel& kernel) : Prover(kernel, decoded(kernel)) {}

Prover::Prover(const loader::Kernel& kernel, const isa::Program::Block& changed)
    : kernel_(kernel), code_(kernel, changed), waves_(code_),
      flights_(flights_before_waits(code_, code_.steps())),
      distances_(distances_before_removals(code_, code_.steps())) {}

Proof Prover::judge(const observe::Mutation& mutation) const {
  if (code_.leaves()) return {Verdict::undecided, is_not_followed};
  const size_t index = code_.index_at(kernel_.entry + mutation.offset);
  if (index == code_.size() || code_.block_of(index) == Code::none)
    return {Verdict::undecided, "the place is on no path that is followed"};
  isa::Waitcnt limits = code_.steps()[index].limits;
  switch (mutation.change) {
  case Change::vmcnt_loosened: ++limits.vmcnt; return judge_wait(index, limits);
  case Change::vmcnt_dropped: limits.vmcnt = Step::no_limits.vmcnt; return judge_wait(index, limits);
  case Change::lgkmcnt_loosened: ++limits.lgkmcnt; return judge_wait(index, limits);
  case Change::lgkmcnt_dropped: limits.lgkmcnt = Step::no_limits.lgkmcnt; return judge_wait(index, limits);
  case Change::nop_dropped: return judge_nop(index);
  case Change::barrier_dropped: return judge_barrier(index);
  case Change::num_records: return judge_bound(mutation);
  case Change::wait_dropped:
  case Change::trap: break; // not among those that are listed
  }
  return {Verdict::undecided, "no protection"};
}

Proof Prover::judge_wait(size_t index, isa::Waitcnt loosened) const {
  Steps steps = code_.steps();
  steps[index].limits = loosened;
  const auto objection_among = [&](const Waves& waves) {
    return objection_to_wait(code_, waves, steps, flights_[index], index, code_.steps()[index].limits);
  };
  const std::string proof =
      "on all paths a later wait comes before anything touches what is in flight longer";
  const auto objection = objection_among(waves_);
  if (!objection) return {Verdict::proved, proof};
  if (objection->is_error && !objection_among(with_exact_sums()))
    return {Verdict::proved, proof + exact_premise};
  if (objection->is_error) return {Verdict::refuted, text_of(*objection)};
  if (const auto left = objection_among(with_premise())) return {Verdict::undecided, text_of(*left)};
  return {Verdict::proved, proof + premise};
}

Proof Prover::judge_barrier(size_t index) const {
  if (const auto objection = states_needed(index).objection) return {Verdict::refuted, text_of(*objection)};
  const std::string proof =
      fmt::format("in workgroups of up to {} whole waves the order of all accesses that may "
                  "meet is the same without it",
                  code_.most_waves());
  if (waves_.order.is_kept(code_.steps(), index)) return {Verdict::proved, proof};
  if (with_premise().order.is_kept(code_.steps(), index)) return {Verdict::proved, proof + premise};
  const std::string last =
      "no barrier comes behind it, and what is accessed there meets nothing that comes before one, given "
      "that all waves have the same number of barriers (barrier_divergence)";
  if (is_needless_last_barrier(code_, waves_.bases, index)) return {Verdict::proved, last};
  if (is_needless_last_barrier(code_, with_premise().bases, index)) return {Verdict::proved, last + premise};
  return {Verdict::undecided, "it may order accesses of different waves"};
}

Proof Prover::judge_bound(const observe::Mutation& mutation) const {
  using Within = BufferBounds::Within;
  if (!bounds_) bounds_.emplace(code_);
  Within least = Within::always;
  for (uint64_t offset : observe::offsets_of_users(kernel_, mutation))
    least = std::min(least, bounds_->of(code_.index_at(kernel_.entry + offset)));
  if (least == Within::unknown) return {Verdict::undecided, "offsets are not known to be below num_records"};
  const std::string proof = "on all paths all offsets are below num_records";
  return {Verdict::proved, least == Within::entries ? proof + entries_premise : proof};
}

const Waves& Prover::with_premise() const {
  if (!with_premise_) with_premise_.emplace(code_, Premise::arguments_apart);
  return *with_premise_;
}

const Waves& Prover::with_exact_sums() const {
  if (!with_exact_sums_) with_exact_sums_.emplace(code_, Premise::exact_sums);
  return *with_exact_sums_;
}

Proof Prover::judge_nop(size_t index) const {
  if (const auto objection = states_needed(index).objection) return {Verdict::refuted, text_of(*objection)};
  return {Verdict::proved, "on all paths every rule of wait states is kept without it"};
}

// An instruction that is gone gives no wait states.
Missing Prover::states_needed(size_t index) const {
  Steps steps = code_.steps();
  steps[index].states = 0;
  return missing_without(code_, steps, distances_[index], index);
}

std::string Prover::text_of(const Objection& objection) const {
  const auto offset = [&](size_t index) { return code_.instruction(index).address - kernel_.entry; };
  return fmt::format("{} (+{:#x}, then +{:#x} {})", objection.what, offset(objection.earlier),
                     offset(objection.later), isa::disassemble(code_.instruction(objection.later)));
}

std::string list_mutants(const loader::Kernel& kernel) {
  const Prover prover(kernel);
  std::istringstream lines(observe::list_mutants(kernel));
  std::string text, line;
  for (const observe::Mutation& mutation : observe::mutations_of(kernel)) {
    std::getline(lines, line);
    const Proof proof = prover.judge(mutation);
    text += fmt::format("{}\t{}\t{}\n", line, name_of(proof.verdict), proof.reason);
  }
  return text;
}

} // namespace fmha950::static_check
