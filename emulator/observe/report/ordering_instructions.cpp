// The least number of points that hit all of a set of intervals, but on a control flow graph, where no order of the code
// is the right one for all. Two greedy ways are best on straight code: from the first end on, each time the last place
// that still is in time, and backwards from the last begin. Where ways part or meet one of them is, and a third takes
// whichever place orders most. The best of the three counts.
#include "emulator/observe/report/ordering_instructions.hpp"

#include <algorithm>
#include <set>

namespace fmha950::observe {
namespace {

constexpr size_t by_none = ~size_t{0};
constexpr size_t most_pairs_compared = 400; // by the third way, which takes the cube of their number

bool holds(const Report& report, uint64_t place) {
  return std::ranges::any_of(report.between,
                             [&](const CodeRange& r) { return r.first <= place && place <= r.last; });
}

class Search {
 public:
  Search(std::span<const Report> reports, std::span<const size_t> members)
      : reports_(reports), members_(members) {}

  std::vector<size_t> fewest() const {
    std::vector<size_t> best = from_ends();
    if (count(best) > 1) take_better(best, from_begins());
    if (count(best) > 1 && members_.size() <= most_pairs_compared) take_better(best, from_most());
    return best;
  }

 private:
  const Report& report(size_t member) const { return reports_[members_[member]]; }
  static size_t count(const std::vector<size_t>& chosen) {
    return chosen.empty() ? 0 : 1 + *std::ranges::max_element(chosen);
  }
  static void take_better(std::vector<size_t>& best, std::vector<size_t> other) {
    if (count(other) < count(best)) best = std::move(other);
  }
  // Places a wave gets to by going around a loop come last.
  static uint64_t end_of(const Report& report) { return report.between.back().last; }
  static uint64_t begin_of(const Report& report) { return report.between.front().first; }
  static bool goes_around(const Report& report) { return end_of(report) < begin_of(report); }

  void choose(uint64_t place, size_t number, std::vector<size_t>& chosen) const {
    for (size_t m = 0; m < members_.size(); ++m)
      if (chosen[m] == by_none && holds(report(m), place)) chosen[m] = number;
  }
  using Key = std::pair<bool, uint64_t>;
  template <class KeyOf, class Place> std::vector<size_t> in_order(KeyOf key_of, Place place) const {
    std::vector<std::pair<Key, size_t>> order;
    for (size_t m = 0; m < members_.size(); ++m) order.emplace_back(key_of(report(m)), m);
    std::ranges::sort(order);
    std::vector<size_t> chosen(members_.size(), by_none);
    size_t number = 0;
    for (const auto& [key, m] : order)
      if (chosen[m] == by_none) choose(place(report(m)), number++, chosen);
    return chosen;
  }
  std::vector<size_t> from_ends() const {
    return in_order([](const Report& r) { return Key{goes_around(r), end_of(r)}; }, end_of);
  }
  std::vector<size_t> from_begins() const {
    return in_order([](const Report& r) { return Key{false, ~begin_of(r)}; }, begin_of);
  }
  std::vector<size_t> from_most() const {
    std::set<uint64_t> places;
    for (size_t m = 0; m < members_.size(); ++m)
      for (const CodeRange& range : report(m).between) places.insert({range.first, range.last});
    std::vector<size_t> chosen(members_.size(), by_none);
    for (size_t number = 0; std::ranges::count(chosen, by_none) > 0; ++number) {
      uint64_t best = 0;
      size_t most = 0;
      for (const uint64_t place : places) {
        size_t hit = 0;
        for (size_t m = 0; m < members_.size(); ++m) hit += chosen[m] == by_none && holds(report(m), place);
        if (hit > most) {
          most = hit;
          best = place;
        }
      }
      choose(best, number, chosen);
    }
    return chosen;
  }

  std::span<const Report> reports_;
  std::span<const size_t> members_;
};

} // namespace

bool have_common_place(const Report& a, const Report& b) {
  if (a.later.symbol != b.later.symbol) return false;
  const auto begins_in = [](const Report& one, const Report& other) {
    return std::ranges::any_of(one.between,
                               [&](const CodeRange& range) { return holds(other, range.first); });
  };
  return begins_in(a, b) || begins_in(b, a);
}

std::vector<size_t> fewest_ordering_instructions(std::span<const Report> reports,
                                                 std::span<const size_t> members) {
  return Search(reports, members).fewest();
}

} // namespace fmha950::observe
