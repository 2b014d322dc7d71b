#include "harness/cure/search.hpp"

#include "harness/cure/candidates.hpp"
#include "harness/cure/need.hpp"

#include <algorithm>
#include <chrono>

namespace fmha950::harness::cure {
namespace {

constexpr size_t most_places = 2, most_with_twins = 3;

class Search {
 public:
  Search(Patient& patient, const Fault& fault, const SearchLimits& limits)
      : patient_(patient), fault_(fault), changed_(patient.changed()), limits_(limits),
        showing_(fault.showing()), executed_before_(patient.executions()) {
    cure_.pairs = fault.errors.size();
  }

  Cure run() {
    if (std::ranges::none_of(fault_.reports,
                             [](const HazardReport& report) { return need_of(report).has_value(); }))
      cure_.verdict = Cure::Verdict::no_order;
    else
      grow({}, fault_.errors);
    cure_.executions = patient_.executions() - executed_before_;
    cure_.seconds = seconds();
    return std::move(cure_);
  }

 private:
  using Protections = std::vector<Protection>;
  struct Best { // of those that leave something
    Protections protections;
    std::set<Pair> left;
  };

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }
  bool spent() {
    const size_t executions = patient_.executions() - executed_before_;
    cure_.interrupted |= limits_.go_on && !limits_.go_on({executions, limits_.executions, most_ordered_,
                                                          cure_.pairs, seconds()});
    if (!cure_.interrupted && executions < limits_.executions && seconds() < limits_.seconds) return false;
    return cure_.limited = true;
  }

  std::vector<HazardReport> reports_of(const std::set<Pair>& pairs) const {
    std::vector<HazardReport> reports;
    std::ranges::copy_if(fault_.reports, std::back_inserter(reports),
                         [&](const HazardReport& report) { return pairs.contains(pair_of(report)); });
    return reports;
  }

  // Adds one place to those chosen: the first that orders all that is left and is proven, else the one that orders most.
  bool grow(const Protections& chosen, const std::set<Pair>& left) {
    Best best{{}, left};
    Protections diverging;
    for (const Protection& candidate : candidates(patient_.kernel(), reports_of(left), changed_)) {
      if (spent()) break;
      bool diverges = false;
      if (is_done(with(chosen, candidate), best, diverges)) return true;
      if (diverges) diverging.push_back(candidate);
    }
    if (cure_.verdict == Cure::Verdict::cured) return true;
    if (chosen.empty() && grow_copies(best)) return true;
    if (cure_.verdict == Cure::Verdict::cured) return true;
    if (best.left.size() == left.size()) return chosen.empty() && grow_twins(diverging, best);
    cure_.verdict = Cure::Verdict::partly;
    cure_.protections = best.protections;
    cure_.ordered = fault_.errors.size() - best.left.size();
    return best.protections.size() < most_places && grow(best.protections, best.left);
  }

  // Where one line of the source has several copies, each needs its own.
  bool grow_copies(Best& best) {
    bool diverges = false;
    const Protections all = before_each(patient_.kernel(), fault_.reports);
    return all.size() > 1 && !spent() && is_done(all, best, diverges);
  }

  // Where two groups of waves have a loop each, a barrier in the one needs one in the other.
  bool grow_twins(const Protections& diverging, Best& best) {
    for (size_t i = 0; i < std::min(diverging.size(), most_with_twins); ++i)
      for (const Protection& twin : barriers_in_loops(patient_.kernel(), diverging[i].loop_depth)) {
        if (spent()) return false;
        bool diverges = false;
        if (twin.offset != diverging[i].offset && is_done(with({diverging[i]}, twin), best, diverges))
          return true;
      }
    return cure_.verdict == Cure::Verdict::cured;
  }

  static Protections with(Protections chosen, const Protection& candidate) {
    chosen.push_back(candidate);
    return chosen;
  }

  // Whether the search may end with these.
  bool is_done(const Protections& tried, Best& best, bool& diverges) {
    const Screen seen = screen(patient_, fault_, tried, showing_);
    diverges = seen.diverges;
    if (!seen.objection.empty()) {
      if (cure_.verdict == Cure::Verdict::not_cured && !was_silent_) cure_.proof.objection = seen.objection;
      return false;
    }
    if (seen.clean()) return is_right(tried) && settle(tried) && costs_nothing();
    if (seen.left.size() < best.left.size()) best = {tried, seen.left};
    most_ordered_ = std::max(most_ordered_, cure_.pairs - best.left.size());
    return false;
  }

  // One run, before many: a barrier in the wrong place orders the pairs and makes others wait for ever.
  bool is_right(const Protections& protections) {
    const std::string list = changes(patient_.kernel().name, patient_.base(), protections);
    const Condition& condition = showing_.front();
    const Observation seen = patient_.observe(condition, list, Trust::all);
    const bool others =
        std::ranges::any_of(seen.errors(), [&](const Pair& pair) { return fault_.all.contains(pair); });
    const std::string wrong = others ? "" : patient_.wrong(condition, list, seen.outputs);
    if (!wrong.empty() && cure_.verdict == Cure::Verdict::not_cured)
      cure_.proof.objection = "wrong: " + wrong;
    return wrong.empty();
  }
  bool clean(const Protections& protections, const std::vector<Condition>& where) {
    return screen(patient_, fault_, protections, where).clean() &&
           !leaves_some(all_paths(patient_, protections));
  }

  // Makes it as weak as it may be, then proves it: as weak as where the fault shows, else as everywhere.
  bool settle(const Protections& strongest) {
    for (const auto& where : {showing_, everywhere()}) {
      Protections protections = strongest;
      drop_places(protections, where);
      for (size_t i = 0; i < protections.size(); ++i) weaken(protections, i, where);
      Proof proof = prove(patient_, fault_, protections);
      was_silent_ = true;
      if (proof.holds()) return keep(std::move(protections), std::move(proof));
      if (cure_.verdict != Cure::Verdict::cured) cure_.proof = std::move(proof);
    }
    return false;
  }

  // True also of one that is dearer than what is kept.
  bool keep(Protections protections, Proof proof) {
    const AllPaths paths = all_paths(patient_, protections);
    if (paths.is_new > 0 || leaves_some(paths)) {
      if (cure_.verdict != Cure::Verdict::cured) cure_.proof.objection = "on some path: " + paths.text();
      return false;
    }
    const double clocks = clocks_of(protections);
    const auto barriers = [](const Protections& of) {
      return std::ranges::count_if(of, &Protection::barrier);
    };
    if (cure_.verdict == Cure::Verdict::cured && (clocks > cure_.clocks_cured * (1 - limits_.costs_nothing) ||
                                                  barriers(protections) > barriers(cure_.protections)))
      return true;
    cure_.verdict = Cure::Verdict::cured;
    cure_.paths = paths;
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
  // Whether the code shows one of the fault's pairs on some path still.
  bool leaves_some(const AllPaths& paths) const {
    return std::ranges::any_of(paths.left, [&](const Pair& pair) { return fault_.errors.contains(pair); });
  }

  double clocks_of(const Protections& protections) {
    const size_t problem = showing_.front().problem;
    if (cure_.clocks == 0) cure_.clocks = patient_.clocks(problem, patient_.base());
    return patient_.clocks(problem, changes(patient_.kernel().name, patient_.base(), protections));
  }
  bool costs_nothing() const { return cure_.clocks_cured <= cure_.clocks * (1 + limits_.costs_nothing); }

  void drop_places(Protections& protections, const std::vector<Condition>& where) {
    for (size_t i = 0; protections.size() > 1 && i < protections.size();) {
      Protections fewer = protections;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (clean(fewer, where))
        protections = std::move(fewer);
      else
        ++i;
    }
  }

  void weaken(Protections& protections, size_t i, const std::vector<Condition>& where) {
    const auto keep_if_clean = [&](auto change) {
      if (spent()) return false;
      Protections weaker = protections;
      change(weaker[i]);
      const bool works = clean(weaker, where);
      if (works) protections = std::move(weaker);
      return works;
    };
    if (protections[i].barrier && protections[i].waits())
      keep_if_clean([](Protection& p) { p.vmcnt = p.lgkmcnt = std::nullopt; });
    for (const auto counter : {&Protection::vmcnt, &Protection::lgkmcnt}) {
      const Protection& now = protections[i];
      if (!(now.*counter)) continue;
      const bool alone = !now.barrier && !(now.vmcnt && now.lgkmcnt);
      if (!alone && keep_if_clean([&](Protection& p) { p.*counter = std::nullopt; })) continue;
      int works = 0, fails = counter == &Protection::vmcnt ? 63 : 15; // what waits for nothing
      while (works + 1 < fails) { // doubling first: counts are small as a rule
        const int tried = works == 0 && fails > 8 ? 4 : (works + fails) / 2;
        if (keep_if_clean([&](Protection& p) { p.*counter = tried; }))
          works = tried;
        else
          fails = tried;
      }
    }
    for (int fails = 0; protections[i].states - fails > 1;) {
      const int tried = (protections[i].states + fails) / 2;
      if (!keep_if_clean([&](Protection& p) { p.states = tried; })) fails = tried;
    }
  }

  Patient& patient_;
  const Fault& fault_;
  const std::set<uint64_t> changed_;
  const SearchLimits& limits_;
  const std::vector<Condition> showing_;
  const size_t executed_before_;
  size_t most_ordered_ = 0; // pairs, by what left some
  bool was_silent_ = false; // some change was: why it was not proven says more than what others leave
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Cure cure_;
};

} // namespace

const char* name_of(Cure::Verdict verdict) {
  static constexpr const char* names[] = {"cured", "partly", "not cured", "no order"};
  return names[static_cast<size_t>(verdict)];
}

Cure find_cure(Patient& patient, const Fault& fault, const SearchLimits& limits) {
  return Search(patient, fault, limits).run();
}

} // namespace fmha950::harness::cure
