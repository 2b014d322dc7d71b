#include "attention/host/chiplet_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace fmha950::attention {

namespace {

constexpr int64_t fixed_cost =
    2; // of a workgroup, in tiles: its start, its queries, its output (key_split.cpp)

int64_t cost(const Work& work) { return work.item.end_tile - work.item.first_tile + fixed_cost; }

int64_t cost(const std::vector<Work>& all) {
  int64_t sum = 0;
  for (const Work& work : all) sum += cost(work);
  return sum;
}

// A total order: the same problem gives the same grid.
bool before(const Work& a, const Work& b) {
  const auto key = [](const Work& w) {
    return std::tuple(-cost(w), w.request, w.item.kv_head, w.item.first_row, w.item.part);
  };
  return key(a) < key(b);
}

// Work items that share keys, none of the bundles costing more than `share` unless it is one item.
std::vector<std::vector<Work>> bundles_of(std::vector<Work> work, int64_t share) {
  std::map<std::pair<int, int>, std::vector<Work>> sharing; // by request and KV head
  for (Work& item : work) sharing[{item.request, item.item.kv_head}].push_back(item);
  std::vector<std::vector<Work>> bundles;
  for (auto& [key, items] : sharing) {
    const int64_t pieces = std::max<int64_t>(1, (cost(items) + share - 1) / share);
    std::sort(items.begin(), items.end(), before);
    // Dealt out in turn, so that each piece has long and short ones.
    std::vector<std::vector<Work>> dealt(static_cast<size_t>(pieces));
    for (size_t i = 0; i < items.size(); ++i) dealt[i % dealt.size()].push_back(items[i]);
    for (auto& piece : dealt)
      if (!piece.empty()) bundles.push_back(std::move(piece));
  }
  return bundles;
}

struct Before {
  using is_transparent = void;
  bool operator()(const Work& a, const Work& b) const { return before(a, b); }
  bool operator()(const Work& a, int64_t b) const { return cost(a) > b; }
};

// The work of one chiplet, the longest first.
struct Chiplet {
  std::set<Work, Before> work;
  int64_t load = 0;
  int64_t quota = 0; // how many items the grid will give it

  int64_t missing() const { return quota - static_cast<int64_t>(work.size()); }
  void take(const Work& item) {
    work.insert(item);
    load += cost(item);
  }
  Work give(std::set<Work, Before>::const_iterator item) {
    const Work given = *item;
    work.erase(item);
    load -= cost(given);
    return given;
  }
  std::set<Work, Before>::const_iterator nearest(int64_t wanted) const {
    const auto shorter = work.lower_bound(wanted);
    if (shorter == work.begin()) return shorter;
    const auto longer = std::prev(shorter);
    return shorter == work.end() || cost(*longer) - wanted < wanted - cost(*shorter) ? longer : shorter;
  }
};

using Chiplets = std::array<Chiplet, chiplets>;

// Chiplets take turns, so each gets as many items as any other: those that have too few take what brings them
// closest to the mean load.
void level_counts(Chiplets& all) {
  int64_t count = 0, load = 0;
  for (const Chiplet& chiplet : all) {
    count += static_cast<int64_t>(chiplet.work.size());
    load += chiplet.load;
  }
  // The first ones get one more where the count does not divide.
  std::sort(all.begin(), all.end(), [](const Chiplet& a, const Chiplet& b) {
    if (a.work.size() != b.work.size()) return a.work.size() > b.work.size();
    return !a.work.empty() && before(*a.work.begin(), *b.work.begin());
  });
  for (int64_t i = 0; i < chiplets; ++i) all[i].quota = (count + chiplets - 1 - i) / chiplets;
  const int64_t mean = load / chiplets;
  for (;;) {
    Chiplet* to = nullptr;
    Chiplet* from = nullptr;
    for (Chiplet& chiplet : all) {
      if (chiplet.missing() > 0 && (!to || chiplet.load < to->load)) to = &chiplet;
      if (chiplet.missing() < 0 && (!from || chiplet.load > from->load)) from = &chiplet;
    }
    if (!to) return;
    to->take(from->give(from->nearest((mean - to->load) / to->missing())));
  }
}

// The chiplets with the most and the least work exchange a long for a short item, until less than the longest
// item lies between them.
void level_loads(Chiplets& all) {
  for (;;) {
    const auto [least, most] = std::ranges::minmax_element(all, {}, &Chiplet::load);
    if (least->work.empty()) return; // and no chiplet has more than one item
    const int64_t difference = most->load - least->load;
    const auto longest = most->work.begin();
    if (difference <= cost(*longest)) return;
    const auto shorter = least->nearest(cost(*longest) - difference / 2);
    const int64_t moved = cost(*longest) - cost(*shorter);
    if (moved <= 0 || moved >= difference) return;
    const Work to_most = least->give(shorter);
    least->take(most->give(longest));
    most->take(to_most);
  }
}

} // namespace

std::vector<Work> order_for_chiplets(std::vector<Work> work) {
  const size_t count = work.size();
  const int64_t share = std::max<int64_t>(1, (cost(work) + chiplets - 1) / chiplets);
  std::vector<std::vector<Work>> bundles = bundles_of(std::move(work), share);
  std::sort(bundles.begin(), bundles.end(), [](const auto& a, const auto& b) {
    return cost(a) != cost(b) ? cost(a) > cost(b) : before(a.front(), b.front());
  });
  Chiplets all;
  for (const auto& bundle : bundles) {
    Chiplet& least = *std::ranges::min_element(all, {}, &Chiplet::load);
    for (const Work& item : bundle) least.take(item);
  }
  level_counts(all);
  level_loads(all);
  // Workgroup n runs on chiplet n mod 8.
  std::vector<Work> ordered;
  ordered.reserve(count);
  std::array<std::set<Work, Before>::const_iterator, chiplets> next;
  for (size_t i = 0; i < chiplets; ++i) next[i] = all[i].work.begin();
  while (ordered.size() < count) ordered.push_back(*next[ordered.size() % chiplets]++);
  return ordered;
}

} // namespace fmha950::attention
