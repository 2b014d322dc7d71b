#include "emulator/static_check/path_walk.hpp"

#include "emulator/static_check/flow_ahead.hpp"
#include "emulator/static_check/path_facts.hpp"

namespace fmha950::static_check {
namespace {

constexpr int most_instructions = 20000; // on all paths together

struct Place {
  PathFacts facts;
  Position at;
};

class Walk {
 public:
  Walk(const Question& question, const FlowAhead& ahead, const PathFacts::Mask& lanes)
      : question_(question), ahead_(ahead), lanes_(lanes) {}

  bool meets(Place start) {
    add(std::move(start));
    while (!open_.empty()) {
      Place place = std::move(open_.back());
      open_.pop_back();
      facts_ = &place.facts;
      const WayEnds ends = follow(question_, place.at, *this);
      if (ends == WayEnds::met) return true;
      if (ends == WayEnds::at_branch) branch(place);
    }
    return false;
  }

  // The facts that follow() asks for.
  bool may_go_on() { return ++walked_ <= most_instructions; }
  bool has_lanes() const { return facts_->may_meet(lanes_, lanes_); }
  bool lanes_meet() const { return facts_->may_meet(lanes_, facts_->exec()); }
  void execute(size_t index) { facts_->execute(index); }

 private:
  void add(Place place) {
    if (ahead_.may_be_met(place.at)) open_.push_back(std::move(place));
  }

  void branch(const Place& before) {
    for (const Way& way : ways_from(question_.code, before.at)) {
      Place place = before;
      place.at.index = way.index;
      if (place.facts.go(before.at.index, way.taken)) add(std::move(place));
    }
  }

  const Question& question_;
  const FlowAhead& ahead_;
  const PathFacts::Mask lanes_; // of the operation; none: it needs none, or which is not known
  PathFacts* facts_ = nullptr;  // of the path under way
  std::vector<Place> open_;
  int walked_ = 0;
};

} // namespace

bool is_met_on_a_path(const Question& question, const CommonValues& common, const LinearValuesBefore* linear,
                      size_t operation) {
  const Code& code = question.code;
  Place start{PathFacts(code, common, linear, operation), {{}, operation + 1, !question.changed}};
  const bool needs_lanes =
      isa::is_vector(code.instruction(operation).encoding) && !code.info(operation).in_flight.all_lanes;
  start.at.lanes_kept = needs_lanes;
  const PathFacts::Mask lanes = needs_lanes ? start.facts.exec() : std::nullopt;
  start.at.flights.issue(code, operation, question.steps[operation]);
  start.facts.execute(operation);
  const FlowAhead ahead(question, start.at);
  return Walk(question, ahead, lanes).meets(std::move(start));
}

bool touches_in_lanes(const Code& code, size_t index, const Flights& one, bool lanes_meet) {
  bool touched = false;
  visit_touches(code, index, one, [&](size_t, const Flight& flight, const observe::Touch&) {
    touched |= lanes_meet || code.info(index).in_flight.all_lanes || flight.queue == machine::Queue::smem;
  });
  return touched;
}

} // namespace fmha950::static_check
