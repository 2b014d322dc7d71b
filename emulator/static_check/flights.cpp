#include "emulator/static_check/flights.hpp"

#include <algorithm>
#include <tuple>

namespace fmha950::static_check {
namespace {

using machine::MemoryQueues;
using machine::Queue;

auto key(const Flight& flight) { return std::tuple(flight.producer, flight.queue); }

bool is_complete(const Flight& flight, isa::Waitcnt limits) {
  const int limit = flight.queue == Queue::vm ? limits.vmcnt : limits.lgkmcnt;
  if (limit == 0) return true;
  return flight.in_order && flight.queue != Queue::smem && flight.younger >= limit;
}

} // namespace

bool Flights::join(const Flights& other) {
  bool grew = other.most_vm_ > most_vm_ || other.most_lgkm_ > most_lgkm_;
  most_vm_ = std::max(most_vm_, other.most_vm_);
  most_lgkm_ = std::max(most_lgkm_, other.most_lgkm_);
  std::vector<Flight> merged;
  merged.reserve(flights_.size() + other.flights_.size());
  auto own = flights_.begin();
  for (const Flight& theirs : other.flights_) {
    for (; own != flights_.end() && key(*own) < key(theirs); ++own) merged.push_back(*own);
    if (own == flights_.end() || key(theirs) < key(*own)) {
      grew = true;
      merged.push_back(theirs);
      registers_.add(theirs.destination);
      continue;
    }
    grew |= theirs.younger < own->younger;
    own->younger = std::min(own->younger, theirs.younger);
    merged.push_back(*own++);
  }
  merged.insert(merged.end(), own, flights_.end());
  flights_ = std::move(merged);
  return grew;
}

template <class Gone> void Flights::erase(const Gone& gone) {
  if (std::erase_if(flights_, gone) == 0) return;
  registers_ = {};
  for (const Flight& flight : flights_) registers_.add(flight.destination);
}

void Flights::wait(isa::Waitcnt limits) {
  most_vm_ = std::min(most_vm_, limits.vmcnt);
  most_lgkm_ = std::min(most_lgkm_, limits.lgkmcnt);
  if (limits.vmcnt == Step::no_limits.vmcnt && limits.lgkmcnt == Step::no_limits.lgkmcnt) return;
  erase([&](const Flight& flight) { return is_complete(flight, limits); });
}

void Flights::take_turn(const Issue& issue) {
  const bool vm = issue.queue == Queue::vm;
  // A full counter stalls issue, which waits.
  wait(vm ? isa::Waitcnt{MemoryQueues::vmcnt_max - issue.units, MemoryQueues::lgkmcnt_max}
          : isa::Waitcnt{MemoryQueues::vmcnt_max, MemoryQueues::lgkmcnt_max - issue.units});
  (vm ? most_vm_ : most_lgkm_) += issue.units;
  if (issue.in_order)
    for (Flight& flight : flights_) flight.younger += flight.queue == issue.queue;
}

void Flights::pass(const Step& step) {
  for (const Issue& issue : step.issues()) take_turn(issue);
}

void Flights::issue(const Code& code, size_t index, const Step& step) {
  const observe::InstructionInfo& info = code.info(index);
  for (const Issue& issue : step.issues()) {
    take_turn(issue);
    Flight flight{{&code.instruction(index), {}, issue.queue, info.in_flight.flat}, index, issue.in_order, 0};
    if (!info.uses.writes().empty()) flight.destination = info.uses.writes().front();
    const auto place = std::lower_bound(flights_.begin(), flights_.end(), flight,
                                        [](const Flight& a, const Flight& b) { return key(a) < key(b); });
    if (place != flights_.end() && key(*place) == key(flight))
      *place = flight;
    else
      flights_.insert(place, flight);
    registers_.add(flight.destination);
  }
}

Flights Flights::between(isa::Waitcnt limits, isa::Waitcnt looser) const {
  Flights result = *this;
  result.erase(
      [&](const Flight& flight) { return !is_complete(flight, limits) || is_complete(flight, looser); });
  return result;
}

Flights Flights::only(size_t producer) const {
  Flights result = *this;
  result.erase([&](const Flight& flight) { return flight.producer != producer; });
  return result;
}

void visit_touches(const Code& code, size_t index, const Flights& flights, const OnTouch& on_touch) {
  const observe::InstructionInfo& info = code.info(index);
  if (!flights.touched_by(info.in_flight)) return;
  for (const Flight& flight : flights.all())
    if (const auto touch = observe::touch_of(code.instruction(index), info.uses, info.in_flight, flight))
      on_touch(index, flight, *touch);
}

} // namespace fmha950::static_check
