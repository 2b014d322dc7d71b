#pragma once
// What is to happen to memory operations in flight, by the model's clock. Nearly all of it is due within a few hundred
// clocks, so each clock of a window has a list; what comes later waits in a heap.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace fmha950::timing {

struct Event {
  uint64_t clock = 0, number = 0; // number: of the operation's issue, the order within a clock
  uint32_t operation = 0;
  bool operator>(const Event& other) const {
    return clock != other.clock ? clock > other.clock : number > other.number;
  }
};

class Events {
 public:
  static constexpr uint64_t never = ~uint64_t{0};

  // Forgets all. No event comes before `clock`.
  void begin(uint64_t clock) {
    lists_.fill(none);
    occupied_.fill(0);
    places_.clear();
    free_ = none;
    later_.clear();
    now_ = clock;
    first_ = never;
  }
  bool empty() const { return first_ == never; }
  uint64_t first() const { return first_; } // clock; never: there are none
  // Not before the event that was taken last.
  void add(const Event& event) {
    first_ = std::min(first_, event.clock);
    if (event.clock >= now_ + window) {
      later_.push_back(event);
      std::ranges::push_heap(later_, std::greater());
    } else {
      add_to_list(event);
    }
  }
  // The next event.
  Event take() {
    now_ = first_;
    for (; !later_.empty() && later_.front().clock < now_ + window; later_.pop_back()) {
      add_to_list(later_.front());
      std::ranges::pop_heap(later_, std::greater());
    }
    uint32_t& list = lists_[now_ % window];
    const uint32_t taken = list;
    list = places_[taken].next;
    places_[taken].next = free_;
    free_ = taken;
    if (list == none) {
      occupied_[now_ % window / 64] &= ~(uint64_t{1} << now_ % 64);
      find_first();
    }
    return places_[taken].event;
  }

 private:
  static constexpr uint64_t window = 2048; // clocks; a load from HBM takes 864 where nothing is in its way
  static constexpr uint32_t none = ~uint32_t{0};
  struct Place {
    Event event;
    uint32_t next; // of its list
  };

  void add_to_list(const Event& event) {
    if (free_ == none) {
      free_ = static_cast<uint32_t>(places_.size());
      places_.push_back({{}, none});
    }
    const uint32_t place = free_;
    free_ = places_[place].next;
    uint32_t* at = &lists_[event.clock % window];
    while (*at != none && event.number > places_[*at].event.number) at = &places_[*at].next;
    places_[place] = {event, *at};
    *at = place;
    occupied_[event.clock % window / 64] |= uint64_t{1} << event.clock % 64;
  }
  void find_first() { // nothing is left at now_
    const uint64_t begin = now_ % window;
    for (uint64_t passed = 0; passed <= window; passed += 64) {
      const uint64_t word = (begin + passed) % window / 64;
      uint64_t bits = occupied_[word];
      if (passed == 0) bits &= ~uint64_t{0} << begin % 64;
      if (bits == 0) continue;
      const uint64_t at = word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
      first_ = now_ + (at - begin) % window;
      return;
    }
    first_ = later_.empty() ? never : later_.front().clock;
  }

  std::array<uint32_t, window> lists_;         // by clock modulo window, each ascending
  std::array<uint64_t, window / 64> occupied_; // clocks whose list is not empty
  std::vector<Place> places_;
  uint32_t free_ = none;
  std::vector<Event> later_; // a heap, the next first
  uint64_t now_ = 0, first_ = never;
};

} // namespace fmha950::timing
