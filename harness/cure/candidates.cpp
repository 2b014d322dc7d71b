#include "harness/cure/candidates.hpp"

#include "harness/cure/barrier_places.hpp"
#include "harness/cure/need.hpp"
#include "harness/cure/ways.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fmha950::harness::cure {
namespace {

constexpr size_t most_pairs = 24;                      // that are looked at: places are tried on all of them
constexpr size_t nearest_ends = 4, nearest_places = 3; // that are tried for one pair
constexpr size_t most_stretches = 40;

bool is_wait(const Place& place) { return place.kind == "wait"; }
bool is_condition(const Place& place) { return place.kind == "condition"; }
bool is_barrier(const Place& place) { return place.kind == "barrier"; }
bool may_set_flag(const Place& place) {
  const auto has = [&](const char* part) { return place.text.find(part) != place.text.npos; };
  return place.text.starts_with("ds_write") || has("_atomic_") || has("_store_") ||
         (place.text.starts_with("ds_") && (has("_add_") || has("_or_") || has("wrxchg") || has("cmpst")));
}

bool is_tightened(const Protection& protection) { return protection.tightens; }
bool is_inserted_wait(const Protection& protection) { return !protection.tightens && !protection.barrier; }

// Places of one kind of need, over all of its pairs.
struct Shared {
  Need need;
  std::map<CodePlace, Place> places;
  std::map<CodePlace, size_t> passed;   // pairs on whose every way a place lies
  std::map<CodePlace, size_t> distance; // to the later sides, their sum
};

class Candidates {
 public:
  explicit Candidates(const std::set<CodePlace>& changed) : changed_(changed) {}

  void add(const hip::Kernel& kernel, const HazardReport& report) {
    const auto need = need_of(report);
    if (!need) return;
    if (!why_not_followed(kernel, report.earlier_place).empty() ||
        !why_not_followed(kernel, report.later_place).empty())
      return;
    const auto [one, other] = std::minmax(report.earlier_place, report.later_place);
    const std::vector<Place> places = ways(kernel, report.earlier_place, report.later_place);
    if (need->kind == Need::Kind::wait_before_barrier) before(is_barrier, places, *need);
    if (need->kind == Need::Kind::wait_before_flag) return before(may_set_flag, places, *need);
    if (need->kind == Need::Kind::barrier) before_flags(places, *need);
    if (need->kind == Need::Kind::wait || need->kind == Need::Kind::states) return share(places, *need, true);
    // Between waves the device says which came first in its run, not which is meant to: so both directions.
    const std::vector<Place> there = ways(kernel, one, other), back = ways(kernel, other, one);
    share(there, *need, true);
    share(back, *need, false);
    if (stretches_.empty()) { // of the first pair: the others are much alike
      in_stretches(there, *need);
      in_stretches(back, *need);
    }
  }

  std::vector<Protection> all() {
    for (auto& [key, shared] : shared_) {
      if (shared.need.kind == Need::Kind::wait || shared.need.kind == Need::Kind::wait_before_barrier)
        for (const Place& place : passed_by_most(shared))
          if (is_wait(place)) tighten(place, shared.need);
      Need need = shared.need;
      if (need.kind == Need::Kind::wait_before_barrier)
        need.kind = Need::Kind::barrier; // a second barrier, at last
      for (const Place& place : by_depth(passed_by_most(shared))) insert(place, need);
      if (need.kind == Need::Kind::barrier)
        for (const Place& place : by_depth(in_front_of_branches(passed_by_most(shared)))) insert(place, need);
    }
    for (const auto& [place, need, from] : stretches_) insert(place, need, from);
    std::vector<Protection> ordered; // each kind in the order in which it was found
    for (const auto& is_of : {is_tightened, is_inserted_wait})
      std::ranges::copy_if(found_, std::back_inserter(ordered), is_of);
    // A barrier that all waves come to is right whatever they branch by.
    std::map<int, std::vector<Protection>> barriers; // by the branches that lead past
    for (const Protection& each : found_)
      if (each.barrier) barriers[each.branches].push_back(each);
    for (const auto& [branches, some] : barriers) std::ranges::copy(some, std::back_inserter(ordered));
    std::ranges::copy_if(flag_waits_, std::back_inserter(ordered), [&](const Protection& each) {
      return std::ranges::find(ordered, each) == ordered.end();
    });
    return ordered;
  }

 private:
  struct Stretch {
    Place place;
    Need need;
    std::optional<uint64_t> from;
  };
  using Key = std::tuple<Need::Kind, bool, bool, bool>; // kind, counters, direction

  // Where groups of waves are staggered, it matters between which barriers and branches another barrier stands.
  void in_stretches(const std::vector<Place>& places, const Need& need) {
    Need barrier = need;
    barrier.kind = Need::Kind::barrier;
    bool begins = true;
    for (size_t i = 0; i < places.size() && stretches_.size() < most_stretches; ++i) {
      const Place& place = places[i];
      if (begins && place.to_later) stretches_.push_back({place, barrier, {}});
      // A group of waves may be the only one that does not branch.
      if (i > 0 && is_condition(places[i - 1]) && place.to_later)
        stretches_.push_back({place, barrier, places[i - 1].at.offset});
      begins = ends_stretch(place);
    }
  }

  std::vector<Place> ways(const hip::Kernel& kernel, const CodePlace& from, const CodePlace& to) const {
    std::vector<Place> places = ways_between(kernel, from, to);
    for (Place& place : places)
      if (changed_.contains(place.at)) place.kind = "-";
    return places;
  }

  void share(const std::vector<Place>& places, const Need& need, bool forward) {
    Shared& shared = shared_[{need.kind, need.vmcnt, need.lgkmcnt, forward}];
    const int states = std::max(shared.need.states, need.states);
    shared.need = need;
    shared.need.states = states;
    for (const Place& place : places) {
      if (!place.on_every_way || changed_.contains(place.at)) continue;
      shared.places.try_emplace(place.at, place);
      ++shared.passed[place.at];
      shared.distance[place.at] += *place.to_later;
    }
  }

  // Of the places that most pairs pass on every way, the nearest to what comes later first.
  static std::vector<Place> passed_by_most(const Shared& shared) {
    size_t most = 0;
    for (const auto& [at, pairs] : shared.passed) most = std::max(most, pairs);
    std::vector<Place> places;
    for (const auto& [at, pairs] : shared.passed)
      if (pairs == most) places.push_back(shared.places.at(at));
    std::ranges::sort(places, {},
                      [&](const Place& place) { return std::pair(shared.distance.at(place.at), place.at); });
    return places;
  }

  static std::vector<Place> in_front_of_branches(std::vector<Place> places) {
    const auto fewest = std::ranges::min_element(places, {}, &Place::branches);
    if (fewest == places.end()) return places;
    std::erase_if(places, [most = fewest->branches](const Place& place) { return place.branches > most; });
    return places;
  }

  // The nearest of each depth, the outermost first; then some more.
  static std::vector<Place> by_depth(const std::vector<Place>& places) {
    std::map<int, Place> nearest;
    for (const Place& place : places) nearest.try_emplace(place.loop_depth, place);
    std::vector<Place> chosen;
    for (const auto& [depth, place] : nearest) chosen.push_back(place);
    for (size_t i = 0; i < std::min(places.size(), nearest_places); ++i) chosen.push_back(places[i]);
    if (!places.empty()) chosen.push_back(places.back()); // right behind what comes earlier
    return chosen;
  }

  // Waits on the way to what publishes, a barrier or a flag's store, and the place before it: the nearest behind the earlier side.
  void before(bool (*publishes)(const Place&), const std::vector<Place>& places, const Need& need) {
    std::vector<Place> ends;
    std::ranges::copy_if(places, std::back_inserter(ends), publishes);
    std::ranges::sort(ends, {}, &Place::from_earlier);
    if (ends.size() > nearest_ends) ends.resize(nearest_ends);
    for (const Place& end : ends) {
      std::vector<Place> waits;
      for (const Place& place : places)
        if (is_wait(place) && place.from_earlier < end.from_earlier) waits.push_back(place);
      std::ranges::sort(waits, std::greater(), &Place::from_earlier);
      for (const Place& wait : waits) tighten(wait, need);
      insert(end, {Need::Kind::wait, need.vmcnt, need.lgkmcnt, 0});
    }
  }

  // Waves that lack a barrier may have a flag instead, in memory or in LDS, which a store sets too early. At last: few kernels do.
  void before_flags(const std::vector<Place>& places, const Need& need) {
    std::vector<Protection> others = std::exchange(found_, {});
    before(may_set_flag, places, need);
    std::ranges::copy(found_, std::back_inserter(flag_waits_));
    found_ = std::move(others);
  }

  void tighten(const Place& place, const Need& need) {
    Protection protection = protection_at(place);
    protection.tightens = true;
    if (need.vmcnt && place.text.find("vmcnt(0)") == place.text.npos) protection.vmcnt = 0;
    if (need.lgkmcnt && place.text.find("lgkmcnt(0)") == place.text.npos) protection.lgkmcnt = 0;
    if (protection.waits()) add_once(protection);
  }

  void insert(const Place& place, const Need& need, std::optional<uint64_t> from = {}) {
    Protection protection = protection_at(place);
    protection.from = from;
    protection.branches += from.has_value(); // waves that come another way pass by
    if (need.vmcnt) protection.vmcnt = 0;
    if (need.lgkmcnt) protection.lgkmcnt = 0;
    protection.barrier = need.kind == Need::Kind::barrier;
    protection.states = need.states;
    add_once(protection);
  }

  // What the base changed is not what the code says, and would give a mutant's place away.
  void add_once(const Protection& protection) {
    if (changed_.contains(protection.at) && !protection.from) return;
    if (std::ranges::find(found_, protection) == found_.end()) found_.push_back(protection);
  }

  const std::set<CodePlace>& changed_;
  std::map<Key, Shared> shared_;
  std::vector<Stretch> stretches_;
  std::vector<Protection> found_, flag_waits_;
};

} // namespace

std::vector<Protection> candidates(const hip::Kernel& kernel, const std::vector<HazardReport>& reports,
                                   const std::set<CodePlace>& changed) {
  Candidates found(changed);
  const size_t step = std::max<size_t>(1, reports.size() / most_pairs);
  for (size_t i = 0; i < reports.size(); i += step) found.add(kernel, reports[i]);
  return found.all();
}

} // namespace fmha950::harness::cure
