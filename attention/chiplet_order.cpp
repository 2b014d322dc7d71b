#include "attention/chiplet_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace fmha950::attention {

namespace {

constexpr int64_t fixed_cost = 2; // of a workgroup, in tiles: its start, its queries, its output

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

// Work items that share keys, none of the groups costing more than `share` unless it is one item.
std::vector<std::vector<Work>> groups_of(std::vector<Work> work, int64_t share) {
  std::map<std::pair<int, int>, std::vector<Work>> sharing; // by request and KV head
  for (Work& item : work) sharing[{item.request, item.item.kv_head}].push_back(item);
  std::vector<std::vector<Work>> groups;
  for (auto& [key, items] : sharing) {
    const int64_t pieces = std::max<int64_t>(1, (cost(items) + share - 1) / share);
    std::sort(items.begin(), items.end(), before);
    // Dealt out in turn, so that each piece has long and short ones.
    std::vector<std::vector<Work>> dealt(static_cast<size_t>(pieces));
    for (size_t i = 0; i < items.size(); ++i) dealt[i % dealt.size()].push_back(items[i]);
    for (auto& piece : dealt)
      if (!piece.empty()) groups.push_back(std::move(piece));
  }
  return groups;
}

} // namespace

std::vector<Work> order_for_chiplets(std::vector<Work> work) {
  const size_t count = work.size();
  const int64_t share = std::max<int64_t>(1, (cost(work) + chiplets - 1) / chiplets);
  std::vector<std::vector<Work>> groups = groups_of(std::move(work), share);
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return cost(a) != cost(b) ? cost(a) > cost(b) : before(a.front(), b.front());
  });
  std::array<std::vector<Work>, chiplets> of_chiplet;
  std::array<int64_t, chiplets> load = {};
  for (const auto& group : groups) {
    const auto least = std::min_element(load.begin(), load.end()) - load.begin();
    load[least] += cost(group);
    of_chiplet[least].insert(of_chiplet[least].end(), group.begin(), group.end());
  }
  for (auto& list : of_chiplet) std::sort(list.begin(), list.end(), before);
  // Workgroup n runs on chiplet n mod 8. Where a chiplet has no more, the next in turn takes its place.
  std::vector<Work> ordered;
  std::array<size_t, chiplets> next = {};
  for (size_t chiplet = 0; ordered.size() < count; chiplet = (chiplet + 1) % chiplets) {
    size_t from = chiplet;
    while (next[from] == of_chiplet[from].size()) from = (from + 1) % chiplets;
    ordered.push_back(of_chiplet[from][next[from]++]);
  }
  return ordered;
}

} // namespace fmha950::attention
