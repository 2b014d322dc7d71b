#include "emulator/static_check/flow_ahead.hpp"

namespace fmha950::static_check {
namespace {

constexpr int most_ahead = 100'000; // instructions

struct NoFacts {
  static bool may_go_on() { return true; }
  static bool has_lanes() { return true; }
  static bool lanes_meet() { return true; }
  void execute(size_t) { ++executed; }
  int executed = 0;
};

} // namespace

FlowAhead::Key FlowAhead::key(const Position& at) {
  Key key{static_cast<int>(at.index), at.kept, at.lanes_kept, at.flights.most_vm(), at.flights.most_lgkm()};
  for (const Flight& flight : at.flights.all()) {
    key.push_back(static_cast<int>(flight.queue));
    key.push_back(flight.younger);
  }
  return key;
}

FlowAhead::FlowAhead(const Question& question, const Position& start) {
  std::map<Key, std::vector<Key>> from; // by position, those that lead there
  std::vector<Position> open{start};
  std::vector<Key> met;
  met_[key(start)] = false;
  NoFacts facts;
  while (!open.empty()) {
    Position at = std::move(open.back());
    open.pop_back();
    const Key begin = key(at);
    const WayEnds ends = follow(question, at, facts);
    if (ends == WayEnds::met) met.push_back(begin);
    if (ends != WayEnds::at_branch) continue;
    for (const Way& way : ways_from(question.code, at)) {
      at.index = way.index;
      const Key next = key(at);
      from[next].push_back(begin);
      if (met_.try_emplace(next, false).second) open.push_back(at);
    }
    if (facts.executed > most_ahead) {
      complete_ = false;
      return;
    }
  }
  while (!met.empty()) {
    const Key at = std::move(met.back());
    met.pop_back();
    if (std::exchange(met_[at], true)) continue;
    for (const Key& before : from[at]) met.push_back(before);
  }
}

bool FlowAhead::may_be_met(const Position& at) const {
  if (!complete_) return true;
  const auto found = met_.find(key(at));
  return found == met_.end() || found->second;
}

} // namespace fmha950::static_check
