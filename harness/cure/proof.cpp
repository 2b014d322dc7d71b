#include "harness/cure/proof.hpp"

#include "harness/cure/ways.hpp"
#include "harness/mutation/mutant.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace fmha950::harness::cure {
namespace {

std::string text_of(const Pair& pair) {
  return fmt::format("{} of {} and {}", pair.hazard, pair.one.text(), pair.other.text());
}
std::string text_of(const Patient& patient, const Condition& condition) {
  return fmt::format(" ({}, {})", condition.schedule, patient.problem(condition.problem));
}

// Conditions under which the bits were those of the cured kernel, and among them those under which memory took effect at
// once: there values were surely right, too. If the bits were right nowhere, any pair may follow from the wrong values of another.
struct RightValues {
  std::set<Condition> bits, surely;
};
RightValues right_values(const Fault& fault, const std::map<Condition, const Outputs*>& right) {
  RightValues found;
  for (const auto& [condition, before] : *fault.seen) {
    if (fault.errors_under(condition).empty()) continue;
    if (!before.fault.empty() || before.outputs != right.at(condition)) continue;
    found.bits.insert(condition);
    if (condition.schedule.starts_with("eager")) found.surely.insert(condition);
  }
  if (found.surely.empty()) found.surely = found.bits;
  return found;
}

std::set<Pair> orders_in(const std::set<Pair>& pairs) {
  std::set<Pair> orders;
  std::ranges::copy_if(pairs, std::inserter(orders, orders.end()), &Pair::is_order);
  return orders;
}

bool has_states(const std::vector<Protection>& protections) {
  return std::ranges::any_of(protections, [](const Protection& protection) { return protection.states > 0; });
}

// Where an inserted barrier stands. Waves come to it as often as they turn around its loop.
struct Stand {
  int depth = 0; // of its loop; 0: in none
  // Deeper loops with barriers come behind it: those that it holds back are met in them with another distance.
  bool before_loop = false;
};
Stand stand_of(const Patient& patient, const Protection& barrier) {
  const std::vector<Place> behind = ways_between(patient.kernel(), barrier.at, barrier.at);
  const auto depth_of = [&](uint64_t offset) { // of a place to which execution comes again
    const auto place = std::ranges::find(behind, CodePlace{barrier.at.function, offset}, &Place::at);
    return place == behind.end() ? 0 : place->loop_depth;
  };
  Stand stand{depth_of(barrier.at.offset)};
  if (barrier.from)
    stand.depth = std::min(stand.depth, depth_of(*barrier.from)); // 0: on the way into the loop
  stand.before_loop = std::ranges::any_of(
      behind, [&](const Place& place) { return place.kind == "barrier" && place.loop_depth > stand.depth; });
  return stand;
}

template <class Holds>
bool any_barrier(const Patient& patient, const std::vector<Protection>& protections, Holds holds) {
  return std::ranges::any_of(protections, [&](const Protection& protection) {
    return protection.barrier && holds(stand_of(patient, protection));
  });
}
bool stands_before_loop(const Patient& patient, const std::vector<Protection>& protections) {
  return any_barrier(patient, protections, [](const Stand& stand) { return stand.before_loop; });
}
bool stands_in_loop(const Patient& patient, const std::vector<Protection>& protections) {
  return any_barrier(patient, protections, [](const Stand& stand) { return stand.depth > 0; });
}
// Some waves pass a barrier in a loop more often than others do: then it brings the meetings behind it. In front of a loop it would
// be one that takes or gives a stagger: what the kernel's own barriers order then is theirs.
Trust doubt_of(const Patient& patient, const std::vector<Protection>& protections) {
  const auto may_move_groups = [](const Stand& stand) { return stand.depth == 0 || stand.before_loop; };
  return any_barrier(patient, protections, may_move_groups) ? Trust::not_changes : Trust::not_meetings;
}

// Groups of waves are a barrier apart, and nothing else is the matter with barriers.
bool is_only_staggered(const Observation& seen) {
  return seen.is_staggered() && std::ranges::none_of(seen.reports, [](const HazardReport& report) {
           return report.hazard == "barrier_divergence" && !tells_of_stagger(report);
         });
}

constexpr const char* takes_stagger = "the barrier takes the stagger from groups of waves";

// Whether a report of waves that end first was a note before, or an error for accesses to LDS alone, which are cured now. One
// that was an error by itself has to be gone.
bool was_none_by_itself(const Pair& pair, const Observation& before) {
  return std::ranges::any_of(before.reports, [&](const HazardReport& report) {
    return pair_of(report) == pair &&
           (report.severity == "note" || report.what.ends_with("accesses to LDS lack an order, too"));
  });
}

// Whether a wave has ended without a barrier that is inserted, and others wait there. An inserted instruction has the place of
// the one that it stands before. One that waves come to with another distance between them staggers them.
bool is_outlived(const HazardReport& report, const std::vector<Protection>& protections) {
  return only_staggers(report) && !tells_of_stagger(report) &&
         report.later.find("(inserted ") != report.later.npos &&
         std::ranges::any_of(protections, [&](const Protection& protection) {
           return protection.barrier && protection.at == report.later_place;
         });
}

// "", or what of the fault's pairs the doubted runs did not meet; fills `ordered` with those that they had to.
std::string not_met(const Fault& fault, const std::map<Condition, const Outputs*>& right,
                    const std::map<Condition, std::set<Pair>>& met, std::set<Pair>& ordered) {
  const RightValues values = right_values(fault, right);
  std::set<Pair> anywhere;
  for (const auto& [condition, pairs] : met) anywhere.insert(pairs.begin(), pairs.end());
  for (const auto& [condition, before] : *fault.seen) {
    const std::set<Pair> pairs = orders_in(fault.errors_under(condition));
    if (values.bits.contains(condition)) ordered.insert(pairs.begin(), pairs.end());
    const std::set<Pair>& here = met.at(condition);
    const auto is_met = [&](const Pair& pair) { return here.contains(pair); };
    if (!pairs.empty() && std::ranges::none_of(pairs, is_met)) return "any pair under " + condition.schedule;
    if (values.bits.empty()) std::ranges::copy_if(pairs, std::inserter(ordered, ordered.end()), is_met);
    if (!values.surely.contains(condition)) continue;
    if (const auto missed = std::ranges::find_if_not(pairs, is_met); missed != pairs.end())
      return text_of(*missed) + " under " + condition.schedule;
  }
  const auto missed =
      std::ranges::find_if_not(ordered, [&](const Pair& pair) { return anywhere.contains(pair); });
  return missed == ordered.end() ? "" : text_of(*missed);
}

} // namespace

Screen screen(Patient& patient, const Fault& fault, const std::vector<Protection>& protections,
              const std::vector<Condition>& conditions) {
  const std::string list = changes(patient.kernel().name, patient.base(), protections);
  Screen result;
  std::set<Pair> open;
  const auto object = [&](const std::string& what, const Condition& condition) {
    if (result.objection.empty()) result.objection = what + text_of(patient, condition);
  };
  for (const Condition& condition : conditions) {
    const Observation& seen = patient.observe(condition, list, Trust::all);
    if (!seen.fault.empty()) object(seen.fault, condition);
    result.is_worse |= !seen.fault.empty() && fault.seen->at(condition).fault.empty();
    result.others |= !seen.elsewhere.empty();
    const auto& elsewhere_before = fault.seen->at(condition).elsewhere;
    for (const auto& [kernel, pair] : seen.elsewhere)
      if (!elsewhere_before.contains({kernel, pair}))
        object("new report: " + text_of(pair) + " in kernel " + kernel, condition);
    if (fault.seen->at(condition).is_staggered() && !seen.is_staggered() &&
        stands_before_loop(patient, protections)) {
      object(takes_stagger, condition);
      result.diverges = result.is_worse = true;
      break;
    }
    for (const HazardReport& report : seen.reports) {
      const Pair pair = pair_of(report);
      if (only_staggers(report) && was_none_by_itself(pair, fault.seen->at(condition))) continue;
      if (is_outlived(report, protections)) {
        result.outlives = true;
        continue;
      }
      const bool is_error = report.severity == "error";
      const bool is_left = fault.errors.contains(pair);
      const bool is_new = !is_left && !(is_error ? fault.all_errors : fault.all).contains(pair);
      if (is_left) result.left.insert(pair);
      if (is_new) object("new report: " + text_of(pair), condition);
      result.diverges |= is_new && report.hazard == "barrier_divergence";
      result.others |= is_error && !is_left && !is_new;
      if ((is_left || is_new) && open.insert(pair).second) result.open.push_back(report);
    }
    result.is_worse |= result.diverges;
    if (result.is_worse) break;
  }
  return result;
}

Proof prove(Patient& patient, const Fault& fault, const std::vector<Protection>& protections) {
  const std::string list = changes(patient.kernel().name, patient.base(), protections);
  Proof proof;
  const auto object = [&](std::string what, const Condition& condition) {
    proof.objection = std::move(what) + text_of(patient, condition);
    return proof;
  };
  const Trust doubt = doubt_of(patient, protections);
  std::map<Condition, std::set<Pair>> met;
  std::map<Condition, const Outputs*> right;
  std::map<size_t, Condition> first_of; // by problem
  bool others = false, always_takes_stagger = stands_in_loop(patient, protections);
  for (const auto& [condition, before] : *fault.seen) {
    const Screen trusted = screen(patient, fault, protections, {condition});
    if (!trusted.objection.empty()) {
      proof.objection = trusted.objection;
      return proof;
    }
    if (!trusted.left.empty()) return object("still reported: " + text_of(*trusted.left.begin()), condition);
    if (always_takes_stagger && !fault.errors_under(condition).empty())
      always_takes_stagger =
          is_only_staggered(before) && !patient.observe(condition, list, Trust::all).is_staggered();
    others |= trusted.others;
    proof.outlives |= trusted.outlives;
    const Observation& doubted = patient.observe(condition, list, doubt);
    proof.runs += 2;
    met[condition] = doubted.errors();
    right[condition] = doubted.outputs;
    const auto [first, is_first] = first_of.try_emplace(condition.problem, condition);
    if (!is_first && !others && right.at(first->second) != right.at(condition))
      return object(other_bits, condition);
  }
  if (always_takes_stagger) {
    proof.objection = takes_stagger;
    return proof;
  }
  std::set<Pair> ordered;
  if (const std::string what = not_met(fault, right, met, ordered); !what.empty()) {
    proof.objection = "silent, but not ordered by the change: " + what;
    return proof;
  }
  const auto needs_states = [](const Pair& pair) { return pair.hazard == "wait_states"; };
  if (std::ranges::any_of(ordered, needs_states) && !has_states(protections)) {
    proof.objection = "an instruction that merely takes a slot is no wait state";
    return proof;
  }
  proof.ordered = ordered.size();
  for (const auto& [problem, condition] : first_of) {
    const bool reached = std::ranges::any_of(
        met, [&](const auto& entry) { return entry.first.problem == problem && !entry.second.empty(); });
    if (!reached) proof.not_reached.insert(problem);
  }
  if (others) {
    proof.judged = "not judged: other findings are left";
    return proof;
  }
  for (const auto& [problem, condition] : first_of)
    if (const std::string& wrong = patient.wrong(condition, list, right.at(condition)); !wrong.empty())
      return object("wrong: " + wrong, condition);
  proof.judged = patient.judged();
  return proof;
}

} // namespace fmha950::harness::cure
