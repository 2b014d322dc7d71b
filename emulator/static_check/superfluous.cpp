#include "emulator/static_check/superfluous.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/removal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fmha950::static_check {
namespace {

using machine::Queue;
using Counter = int isa::Waitcnt::*;
using SuperfluousKind = Superfluous::Kind;

const char* name_of(Counter counter) { return counter == &isa::Waitcnt::vmcnt ? "vmcnt" : "lgkmcnt"; }

// Changes the steps as it goes, so that what it finds may be changed together.
class Search {
 public:
  explicit Search(const Code& code)
      : code_(code), waves_(code), steps_(code.steps()), flights_(flights_before_waits(code, steps_)),
        distances_(distances_before_removals(code, steps_)) {}

  std::vector<Superfluous> run() {
    for (size_t index : candidates()) {
      if (isa::control_of(code_.instruction(index)) == isa::ControlRole::nop) {
        nop(index);
      } else {
        wait(index, &isa::Waitcnt::vmcnt);
        wait(index, &isa::Waitcnt::lgkmcnt);
      }
    }
    std::ranges::sort(found_, {}, &Superfluous::at);
    return std::move(found_);
  }

 private:
  // Those of inner loops first, where most is won.
  std::vector<size_t> candidates() const {
    std::vector<size_t> all;
    for (size_t i = 0; i < code_.size(); ++i) {
      const isa::ControlRole role = isa::control_of(code_.instruction(i));
      if (code_.block_of(i) != Code::none &&
          (role == isa::ControlRole::waitcnt || role == isa::ControlRole::nop))
        all.push_back(i);
    }
    const auto outer = [&](size_t index) {
      const size_t loop = code_.loop_of(index);
      return std::pair(loop == Code::none ? 0 : -code_.loops().loops[loop].depth, index);
    };
    std::ranges::sort(all, {}, outer);
    return all;
  }

  // The counts that let more stay in flight than the wait does, the highest first; none at all is the first of them.
  std::vector<int> looser(size_t index, Counter counter) const {
    const bool vm = counter == &isa::Waitcnt::vmcnt;
    std::set<int, std::greater<>> counts = {Step::no_limits.*counter};
    for (const Flight& flight : flights_[index].all())
      if ((flight.queue == Queue::vm) == vm && flight.younger > steps_[index].limits.*counter)
        counts.insert(flight.younger);
    return {counts.begin(), counts.end()};
  }

  void wait(size_t index, Counter counter) {
    const isa::Waitcnt was = steps_[index].limits;
    if (was.*counter >= Step::no_limits.*counter) return;
    const bool vm = counter == &isa::Waitcnt::vmcnt;
    const int most = vm ? flights_[index].most_vm() : flights_[index].most_lgkm();
    for (int count : looser(index, counter)) {
      steps_[index].limits.*counter = count;
      if (objection_to_wait(code_, waves_, steps_, flights_[index], index, was)) continue;
      const bool gone = count == Step::no_limits.*counter;
      found_.push_back({SuperfluousKind::wait, index, fmt::format("{}({})", name_of(counter), was.*counter),
                        gone ? "" : fmt::format("{}({})", name_of(counter), count),
                        most <= was.*counter ? "so much is never in flight"
                                             : "nothing touches what it waits for before a later wait"});
      if (most > was.*counter) flights_ = flights_before_waits(code_, steps_);
      return;
    }
    steps_[index].limits = was;
  }

  void nop(size_t index) {
    const int was = steps_[index].states;
    steps_[index].states = 0;
    const int needed = missing_without(code_, steps_, distances_[index], index).states;
    steps_[index].states = static_cast<uint8_t>(std::min(needed, was));
    if (needed >= was) return;
    found_.push_back({SuperfluousKind::nop, index, fmt::format("s_nop {}", was - 1),
                      needed == 0 ? "" : fmt::format("s_nop {}", needed - 1),
                      "no rule asks for so many wait states"});
    distances_ = distances_before_removals(code_, steps_);
  }

  const Code& code_;
  const Waves waves_;
  Steps steps_;
  std::vector<Flights> flights_;
  std::vector<Distances> distances_;
  std::vector<Superfluous> found_;
};

} // namespace

std::vector<Superfluous> find_superfluous(const Code& code) {
  if (code.leaves()) return {};
  return Search(code).run();
}

} // namespace fmha950::static_check
