// The least number of points that hit all of a set of intervals, but on a control flow graph, where no order of the code
// is the right one for all. Two greedy ways are best on straight code: from the first end on, each time the last place
// that still is in time, and backwards from the last begin. Where ways part or meet one of them is, and a third takes
// whichever place orders most. The best of the three counts.
#include "emulator/observe/report/ordering_instructions.hpp"

#include <algorithm>
#include <set>

namespace fmha950::observe {
namespace {

constexpr size_t most_pairs_compared = 150; // by the third way, which takes the cube of their number

bool holds(const Report& report, uint64_t place) {
  return std::ranges::any_of(report.between,
                             [&](const CodeRange& r) { return r.first <= place && place <= r.last; });
}

class Search {
 public:
  Search(std::span<const Report> reports, std::span<const size_t> members)
      : reports_(reports), members_(members) {}

  std::vector<OrderedBy> fewest() const {
    std::vector<uint64_t> best = from_ends();
    const auto try_instead = [&](std::vector<uint64_t> places) {
      if (places.size() < best.size()) best = std::move(places);
    };
    if (best.size() > 1) try_instead(from_begins());
    if (best.size() > 1 && members_.size() <= most_pairs_compared) try_instead(from_most());
    std::vector<OrderedBy> result;
    for (size_t m = 0; m < members_.size(); ++m) {
      const auto first = std::ranges::find_if(best, [&](uint64_t place) { return holds(report(m), place); });
      const bool again =
          std::any_of(first + 1, best.end(), [&](uint64_t place) { return holds(report(m), place); });
      result.push_back({static_cast<size_t>(first - best.begin()), again});
    }
    return result;
  }

 private:
  const Report& report(size_t member) const { return reports_[members_[member]]; }
  // Places a wave gets to by going around a loop come last.
  static uint64_t end_of(const Report& report) { return report.between.back().last; }
  static uint64_t begin_of(const Report& report) { return report.between.front().first; }
  static bool goes_around(const Report& report) { return end_of(report) < begin_of(report); }

  // Pairs in the order of a key: each that no place orders yet gets one of its own.
  template <class KeyOf, class Place> std::vector<uint64_t> in_order(KeyOf key_of, Place place) const {
    std::vector<std::pair<std::pair<bool, uint64_t>, size_t>> order;
    for (size_t m = 0; m < members_.size(); ++m) order.emplace_back(key_of(report(m)), m);
    std::ranges::sort(order);
    std::vector<uint64_t> places;
    for (const auto& [key, m] : order)
      if (std::ranges::none_of(places, [&](uint64_t p) { return holds(report(m), p); }))
        places.push_back(place(report(m)));
    return places;
  }
  std::vector<uint64_t> from_ends() const {
    return in_order([](const Report& r) { return std::pair(goes_around(r), end_of(r)); }, end_of);
  }
  std::vector<uint64_t> from_begins() const {
    return in_order([](const Report& r) { return std::pair(false, ~begin_of(r)); }, begin_of);
  }
  std::vector<uint64_t> from_most() const {
    std::set<uint64_t> candidates;
    std::vector<size_t> open;
    for (size_t m = 0; m < members_.size(); ++m) {
      open.push_back(m);
      for (const CodeRange& range : report(m).between) candidates.insert(range.first);
    }
    std::vector<uint64_t> places;
    while (!open.empty()) {
      const auto ordered_by = [&](uint64_t place) {
        return std::ranges::count_if(open, [&](size_t m) { return holds(report(m), place); });
      };
      const uint64_t best = *std::ranges::max_element(candidates, {}, ordered_by);
      std::erase_if(open, [&](size_t m) { return holds(report(m), best); });
      places.push_back(best);
    }
    return places;
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

std::vector<OrderedBy> fewest_ordering_instructions(std::span<const Report> reports,
                                                    std::span<const size_t> members) {
  return Search(reports, members).fewest();
}

} // namespace fmha950::observe
