#include "emulator/static_check/path_walk.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/path_facts.hpp"

namespace fmha950::static_check {
namespace {

constexpr int most_instructions = 20000; // on all paths together

struct Place {
  PathFacts facts;
  Flights flights; // of the one operation
  size_t index = 0;
  bool kept = false; // in flight only because of the change
};

class Walk {
 public:
  Walk(const Code& code, const Steps& steps, const ChangedWait& changed, const IsMet& is_met,
       const PathFacts::Mask& lanes)
      : code_(code), steps_(steps), changed_(changed), is_met_(is_met), lanes_(lanes) {}

  bool meets(Place start) {
    open_.push_back(std::move(start));
    while (!open_.empty() && !met_) {
      Place place = std::move(open_.back());
      open_.pop_back();
      follow(place);
    }
    return met_;
  }

 private:
  void follow(Place& place) {
    for (;; ++place.index) {
      const size_t index = place.index;
      if (++walked_ > most_instructions || index >= code_.size() || steps_[index].leaves != Leaves::no) {
        met_ = true; // for all that is known
        return;
      }
      if (index == changed_.index) {
        Flights unchanged = place.flights;
        unchanged.wait(changed_.was);
        place.kept |= unchanged.empty();
      }
      place.flights.wait(steps_[index].limits);
      if (place.flights.empty()) return;
      if (place.kept) met_ = is_met_(index, place.flights, place.facts.may_meet(lanes_, place.facts.exec()));
      place.flights.pass(steps_[index]);
      const isa::Instruction& in = code_.instruction(index);
      if (met_ || place.flights.empty() || isa::control_of(in) == isa::ControlRole::end) return;
      if (isa::is_relative_branch(in)) return branch(place, in);
      place.facts.execute(index);
    }
  }

  void branch(Place& place, const isa::Instruction& in) {
    const size_t target = place.index + static_cast<size_t>(in.target);
    if (isa::control_of(in) == isa::ControlRole::branch_if) {
      Place on = place;
      ++on.index;
      if (on.facts.go(place.index, false)) open_.push_back(std::move(on));
      if (!place.facts.go(place.index, true)) return;
    }
    place.index = target;
    open_.push_back(std::move(place));
  }

  const Code& code_;
  const Steps& steps_;
  const ChangedWait& changed_;
  const IsMet& is_met_;
  const PathFacts::Mask lanes_; // of the operation
  std::vector<Place> open_;
  int walked_ = 0;
  bool met_ = false;
};

} // namespace

bool is_met_on_a_path(const Code& code, const CommonValues& common, const LinearValuesBefore* linear,
                      const Steps& steps, const ChangedWait& changed, size_t operation, const IsMet& is_met) {
  Place start{PathFacts(code, common, linear, operation), {}, operation + 1};
  const PathFacts::Mask lanes = start.facts.exec();
  start.flights.issue(code, operation, steps[operation]);
  start.facts.execute(operation);
  return Walk(code, steps, changed, is_met, lanes).meets(std::move(start));
}

} // namespace fmha950::static_check
