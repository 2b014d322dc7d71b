#include "harness/cure/search.hpp"

#include "harness/cure/barrier_places.hpp"
#include "harness/cure/candidates.hpp"
#include "harness/cure/copies.hpp"
#include "harness/cure/need.hpp"
#include "harness/cure/ways.hpp"
#include "harness/cure/weakest.hpp"
#include "harness/cure/younger_operations.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace fmha950::harness::cure {
namespace {

constexpr size_t most_changes = 2, most_with_twins = 3;

Changes with(Changes chosen, Protections change) {
  chosen.push_back(std::move(change));
  return chosen;
}

class Search {
 public:
  Search(Patient& patient, const Fault& fault, const SearchLimits& limits)
      : patient_(patient), fault_(fault), changed_(patient.changed()), limits_(limits),
        showing_(fault.showing()), executed_before_(patient.executions()),
        copies_(patient.kernel(), changed_), paths_(patient), younger_(patient, fault) {
    cure_.pairs = fault.errors.size();
  }

  Cure run() {
    if (std::ranges::none_of(fault_.reports,
                             [](const HazardReport& report) { return need_of(report).has_value(); }))
      cure_.verdict = Cure::Verdict::no_order;
    else {
      cure_.proof.objection = what_is_not_followed();
      grow({}, fault_.reports);
    }
    cure_.executions = patient_.executions() - executed_before_;
    cure_.seconds = seconds();
    return std::move(cure_);
  }

 private:
  struct Best { // of those that leave something
    Changes changes;
    std::vector<HazardReport> open;
  };

  // "", or why no place is tried for some of the reports.
  std::string what_is_not_followed() const {
    std::set<std::string> asked; // functions
    for (const HazardReport& report : fault_.reports)
      for (const CodePlace& place : {report.earlier_place, report.later_place})
        if (place.function != CodePlace::nowhere && asked.insert(place.function).second)
          if (std::string why = why_not_followed(patient_.kernel(), place); !why.empty()) return why;
    return {};
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }
  bool spent() {
    const size_t executions = patient_.executions() - executed_before_;
    cure_.interrupted |= limits_.go_on && !limits_.go_on({executions, limits_.executions, most_ordered_,
                                                          cure_.pairs, seconds()});
    if (cure_.interrupted || executions >= limits_.executions || seconds() >= limits_.seconds)
      return cure_.limited = true;
    return cure_.verdict == Cure::Verdict::cured && executions >= limits_.executions / limits_.findings;
  }

  // Adds one change to those chosen: the first that orders all that is open and is proven, else the one that orders most.
  bool grow(const Changes& chosen, const std::vector<HazardReport>& open) {
    Best best{{}, open};
    Protections diverging;
    const Protections places = candidates(patient_.kernel(), open, changed_);
    for (const Protection& place : places) {
      if (spent()) break;
      bool diverges = false;
      if (is_done(with(chosen, {place}), best, diverges)) return true;
      if (diverges) diverging.push_back(place);
    }
    if (cure_.verdict == Cure::Verdict::cured) return true;
    const auto grow_on = [&] { return best.changes.size() < most_changes && grow(best.changes, best.open); };
    const size_t open_with_one_place = best.open.size();
    const bool is_one_of_several = fault_.causes > 1 && open_with_one_place < open.size();
    if ((is_one_of_several && grow_on()) || grow_copies(chosen, places, best)) return true;
    if (best.open.size() == open.size()) return chosen.empty() && grow_twins(diverging, best);
    return (!is_one_of_several || best.open.size() < open_with_one_place) && grow_on();
  }

  // Where a line of the source has several copies, each of them gets what one of them would.
  bool grow_copies(const Changes& chosen, const Protections& places, Best& best) {
    std::vector<Protections> tried;
    for (const Protection& place : places)
      for (Protections& copies : copies_.of(place)) {
        if (spent()) return false;
        if (std::ranges::find(tried, copies) != tried.end()) continue;
        bool diverges = false;
        if (is_done(with(chosen, copies), best, diverges)) return true;
        tried.push_back(std::move(copies));
      }
    return cure_.verdict == Cure::Verdict::cured;
  }

  // Where two groups of waves have a loop each, a barrier in the one needs one in the other.
  bool grow_twins(const Protections& diverging, Best& best) {
    for (size_t i = 0; i < std::min(diverging.size(), most_with_twins); ++i)
      for (const Protection& twin : barriers_in_loops(patient_.kernel(), diverging[i].loop_depth)) {
        if (spent()) return false;
        bool diverges = false;
        if (twin.at != diverging[i].at && is_done({{diverging[i]}, {twin}}, best, diverges)) return true;
      }
    return cure_.verdict == Cure::Verdict::cured;
  }

  // Whether the search may end with these.
  bool is_done(const Changes& tried, Best& best, bool& diverges) {
    const Screen seen = screen(patient_, fault_, joined(tried), showing_);
    diverges = seen.diverges;
    if (!seen.objection.empty() && cure_.verdict == Cure::Verdict::not_cured && !was_silent_)
      cure_.proof.objection = seen.objection;
    if (seen.clean()) {
      if (!is_right(joined(tried), seen) || !settle(tried)) return false;
      if (lacks_barrier() && !std::exchange(tried_cheap_barriers_, true)) try_cheap_barriers();
      return costs_nothing();
    }
    if (seen.is_worse) return false;
    if (seen.objection.empty()) keep_in_part(tried, seen);
    if (seen.open.size() < best.open.size()) best = {tried, seen.open};
    most_ordered_ = std::max(most_ordered_, cure_.pairs - std::min(cure_.pairs, best.open.size()));
    return false;
  }

  bool lacks_barrier() const {
    return std::ranges::any_of(fault_.reports, [](const HazardReport& report) {
      return report.lacks.barrier || report.hazard == "barrier_divergence";
    });
  }
  // Where a barrier is missing, one in another place may cost less than what was found first. Clocks are soon measured: the places
  // at which a barrier alone costs least are tried first.
  void try_cheap_barriers() {
    if (cure_.clocks == 0) return; // not known
    struct Priced {
      double clocks;
      Protection barrier;
    };
    std::vector<Priced> priced;
    Protections places = candidates(patient_.kernel(), fault_.reports, changed_);
    std::ranges::move(barriers_behind_runs(patient_.kernel(), fault_.reports, changed_),
                      std::back_inserter(places));
    for (Protection& alone : places) {
      if (!alone.barrier) continue;
      if (spent()) return;
      alone.vmcnt = alone.lgkmcnt = std::nullopt;
      priced.push_back({clocks_of({alone}), alone});
    }
    std::ranges::sort(priced, {}, [](const Priced& each) {
      return std::tuple(each.clocks, each.barrier.branches, each.barrier.at);
    });
    for (const Priced& each : priced) {
      if (each.clocks > cure_.clocks_cured * (1 - limits_.price.nothing) || spent()) break;
      if (each.clocks >
          cure_.clocks_cured * (1 - least_gain(limits_.price, cure_.protections, {each.barrier})))
        continue;
      if (!clean({each.barrier}, {showing_.front()})) continue;
      Best none;
      bool diverges = false;
      is_done({{each.barrier}}, none, diverges);
    }
  }

  void keep_in_part(const Changes& tried, const Screen& seen) {
    const size_t ordered = fault_.errors.size() - seen.left.size();
    if (cure_.verdict == Cure::Verdict::cured || ordered <= cure_.ordered) return;
    cure_.verdict = Cure::Verdict::partly;
    cure_.protections = joined(tried);
    cure_.ordered = ordered;
  }

  // A barrier in the wrong place orders the pairs and makes others wait for ever.
  bool is_right(const Protections& protections, const Screen& seen) {
    if (seen.others) return true; // values may be wrong by them
    const std::string list = changes(patient_.kernel().name, patient_.base(), protections);
    const Condition& condition = showing_.front();
    const std::string& wrong =
        patient_.wrong(condition, list, patient_.observe(condition, list, Trust::all).outputs);
    if (!wrong.empty() && cure_.verdict == Cure::Verdict::not_cured)
      cure_.proof.objection = "wrong: " + wrong;
    return wrong.empty();
  }
  bool clean(const Protections& protections, const std::vector<Condition>& where) {
    return younger_.too_few(protections).empty() && screen(patient_, fault_, protections, where).clean() &&
           !paths_.of(protections).leaves(fault_);
  }

  // Makes it as weak as it may be, then proves it: as weak as where the fault shows, else as everywhere.
  bool settle(const Changes& strongest) {
    for (const auto& where : {showing_, everywhere()}) {
      Protections protections = joined(
          weakest(strongest, [&](const Protections& weaker) { return !spent() && clean(weaker, where); }));
      Proof proof = prove(patient_, fault_, protections);
      was_silent_ = true;
      if (proof.holds()) return keep(std::move(protections), std::move(proof));
      if (cure_.verdict != Cure::Verdict::cured) cure_.proof = std::move(proof);
    }
    return false;
  }

  // True also of one that is dearer than what is kept.
  bool keep(Protections protections, Proof proof) {
    const AllPaths paths = paths_.of(protections);
    std::string objection = younger_.too_few(protections);
    if (paths.is_new > 0 || paths.leaves(fault_)) objection = "on some path: " + paths.text();
    if (!objection.empty()) {
      if (cure_.verdict != Cure::Verdict::cured) cure_.proof.objection = std::move(objection);
      return false;
    }
    const double clocks = clocks_of(protections);
    if (cure_.verdict == Cure::Verdict::cured &&
        clocks > cure_.clocks_cured * (1 - least_gain(limits_.price, cure_.protections, protections)))
      return true;
    cure_.verdict = Cure::Verdict::cured;
    cure_.paths = paths;
    cure_.counts = younger_.why_not_looser(protections);
    cure_.proof = std::move(proof);
    cure_.protections = std::move(protections);
    cure_.ordered = cure_.proof.ordered;
    cure_.clocks_cured = clocks;
    return true;
  }

  std::vector<Condition> everywhere() const {
    std::vector<Condition> conditions;
    for (const auto& [condition, seen] : *fault_.seen) conditions.push_back(condition);
    return conditions;
  }
  double clocks_of(const Protections& protections) {
    const size_t problem = showing_.front().problem;
    if (!std::exchange(asked_for_clocks_, true)) cure_.clocks = patient_.clocks(problem, patient_.base());
    if (cure_.clocks == 0) return 0; // not known
    return patient_.clocks(problem, changes(patient_.kernel().name, patient_.base(), protections));
  }
  bool costs_nothing() const { return cure_.clocks_cured <= cure_.clocks * (1 + limits_.price.nothing); }

  Patient& patient_;
  const Fault& fault_;
  const std::set<CodePlace> changed_;
  const SearchLimits& limits_;
  const std::vector<Condition> showing_;
  const size_t executed_before_;
  const Copies copies_;
  PathCheck paths_;
  YoungerOperations younger_;
  size_t most_ordered_ = 0; // pairs, by what left some
  bool tried_cheap_barriers_ = false, asked_for_clocks_ = false;
  bool was_silent_ = false; // some change was: why it was not proven says more than what others leave
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Cure cure_;
};

} // namespace

std::string as_text(const SoFar& so_far) {
  return fmt::format("tried {} of {}, best orders {} of {} pairs, {:.0f} s", so_far.executions,
                     so_far.most_executions, so_far.ordered, so_far.pairs, so_far.seconds);
}

const char* name_of(Cure::Verdict verdict) {
  static constexpr const char* names[] = {"cured", "partly", "not cured", "no order"};
  return names[static_cast<size_t>(verdict)];
}

Cure find_cure(Patient& patient, const Fault& fault, const SearchLimits& limits) {
  return Search(patient, fault, limits).run();
}

} // namespace fmha950::harness::cure
