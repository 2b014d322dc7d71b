#include "emulator/observe/report/ordering_places.hpp"

#include "emulator/observe/report/missing_order.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

namespace fmha950::observe {
namespace {

constexpr size_t not_reached = ~size_t{0};
using Span = std::pair<size_t, size_t>; // places before the instructions first to last
using Spans = std::vector<Span>;
using Stops = std::function<bool(size_t)>; // instructions that no way may pass

// The ways from behind an instruction. Node 0 stands for what is left of its block, the others for whole blocks: a
// loop comes to that block again.
class Ways {
 public:
  Ways(const FunctionPlaces& places, size_t from, const Stops& stops)
      : places_(places), from_(from), stops_(stops), blocks_(places.flow().blocks) {
    const size_t nodes = blocks_.size() + 1;
    order_.assign(nodes, not_reached);
    std::vector<char> seen(nodes, 0);
    visit(0, seen);
    std::ranges::reverse(reached_);
    for (size_t i = 0; i < reached_.size(); ++i) order_[reached_[i]] = i;
    find_dominators(nodes);
  }

  // Every way to `to` goes through these places; empty without a way.
  Spans to(size_t to) const {
    if (places_.block_of(to) == places_.block_of(from_) && to > from_ && !stop_in(from_ + 1, to))
      return {{from_ + 1, to}};
    const size_t node = places_.block_of(to) + 1;
    const size_t begin = blocks_[node - 1].begin;
    if (order_[node] == not_reached || stop_in(begin, to)) return {};
    return chain(node, to);
  }

  // To whichever stop comes first.
  Spans to_stops() const {
    size_t common = not_reached, last = 0;
    for (const size_t node : reached_) {
      const auto stop = stop_in(node == 0 ? from_ + 1 : blocks_[node - 1].begin, end_of(node));
      if (!stop) continue;
      if (common == not_reached) {
        common = node;
        last = *stop;
      } else {
        const size_t meet = nearest(common, node);
        if (meet != common) last = end_of(meet) - 1;
        common = meet;
      }
    }
    return common == not_reached ? Spans{} : chain(common, last);
  }

 private:
  size_t begin_of(size_t node) const { return node == 0 ? from_ + 1 : blocks_[node - 1].begin; }
  size_t end_of(size_t node) const { return blocks_[node == 0 ? places_.block_of(from_) : node - 1].end; }
  std::optional<size_t> stop_in(size_t begin, size_t end) const {
    for (size_t i = begin; stops_ && i < end; ++i)
      if (stops_(i)) return i;
    return std::nullopt;
  }
  const std::vector<size_t>& successors(size_t node) const {
    static const std::vector<size_t>& none = *new std::vector<size_t>;
    if (stop_in(begin_of(node), end_of(node))) return none;
    return blocks_[node == 0 ? places_.block_of(from_) : node - 1].successors;
  }
  void visit(size_t first, std::vector<char>& seen) { // postorder, without recursion: functions may be long
    std::vector<std::pair<size_t, size_t>> open = {{first, 0}};
    seen[first] = 1;
    while (!open.empty()) {
      auto& [node, next] = open.back();
      const auto& after = successors(node);
      if (next == after.size()) {
        reached_.push_back(node);
        open.pop_back();
        continue;
      }
      const size_t successor = after[next++] + 1;
      if (seen[successor]) continue;
      seen[successor] = 1;
      open.push_back({successor, 0});
    }
  }
  size_t nearest(size_t a, size_t b) const {
    while (a != b) {
      while (order_[a] > order_[b]) a = dominator_[a];
      while (order_[b] > order_[a]) b = dominator_[b];
    }
    return a;
  }
  void find_dominators(size_t nodes) { // Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm
    dominator_.assign(nodes, not_reached);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const size_t node : reached_)
        for (const size_t successor : successors(node)) {
          const size_t to = successor + 1, before = dominator_[to];
          if (to == 0 || dominator_[node] == not_reached) continue;
          dominator_[to] = before == not_reached ? node : nearest(before, node);
          changed |= dominator_[to] != before;
        }
    }
  }
  Spans chain(size_t node, size_t last) const {
    Spans spans = {{begin_of(node), last}};
    while (node != 0) {
      node = dominator_[node];
      if (begin_of(node) < end_of(node)) spans.push_back({begin_of(node), end_of(node) - 1});
    }
    std::ranges::reverse(spans);
    return spans;
  }

  const FunctionPlaces& places_;
  const size_t from_;
  const Stops& stops_;
  const std::vector<isa::BasicBlock>& blocks_;
  std::vector<size_t> reached_, order_, dominator_; // reverse postorder, a node's number in it
};

// Up to the last barrier in it; empty if it has none.
Spans up_to_last(Spans spans, const Stops& stops) {
  for (; !spans.empty(); spans.pop_back()) {
    auto& [first, last] = spans.back();
    for (size_t i = last + 1; i-- > first;)
      if (stops(i)) {
        last = i;
        return spans;
      }
  }
  return spans;
}

// Straight up the code that a wave must have run before `to`, from the nearest stop on.
Spans behind_stop(const FunctionPlaces& places, size_t to, const Stops& stops) {
  Spans spans;
  const isa::ControlFlow& flow = places.flow();
  for (size_t block = places.block_of(to), last = to;;) {
    for (size_t i = last; i-- > flow.blocks[block].begin;)
      if (stops(i)) {
        if (i + 1 <= last) spans.push_back({i + 1, last});
        std::ranges::reverse(spans);
        return spans;
      }
    spans.push_back({flow.blocks[block].begin, last});
    if (flow.dominator[block] == block) break;
    block = flow.dominator[block];
    last = flow.blocks[block].end - 1;
  }
  std::ranges::reverse(spans);
  return spans;
}

// From the head of a loop, which comes before `to` on every way; empty if a stop does, too.
Spans from_head(const FunctionPlaces& places, size_t head, size_t to, const Stops& stops) {
  const isa::ControlFlow& flow = places.flow();
  Spans spans;
  for (size_t block = places.block_of(to), last = to;;) {
    for (size_t i = flow.blocks[block].begin; i < last; ++i)
      if (stops(i)) return {};
    spans.push_back({flow.blocks[block].begin, last});
    if (block == head) break;
    block = flow.dominator[block];
    last = flow.blocks[block].end - 1;
  }
  std::ranges::reverse(spans);
  return spans;
}

// Around the innermost loop that both are in and that lets one through without a stop.
Spans around_loop(const FunctionPlaces& places, size_t from, size_t to, const Stops& stops) {
  for (const isa::Loop* loop : places.loops_of(from)) {
    if (!loop->holds(places.block_of(to))) continue;
    Spans spans = Ways(places, from, stops).to(places.flow().blocks[loop->head].begin);
    const Spans rest = from_head(places, loop->head, to, stops);
    if (spans.empty() || rest.empty()) continue;
    spans.insert(spans.end(), rest.begin(), rest.end());
    return spans;
  }
  return {};
}

bool have_one_queue(const isa::Instruction& a, const isa::Instruction& b) {
  const auto queue = [](const isa::Instruction& in) {
    if (in.encoding == isa::Encoding::ds) return 1;
    if (in.encoding == isa::Encoding::smem) return 2;
    return isa::memory_of(in).kind == isa::MemoryKind::none ? 0 : 3;
  };
  return queue(a) == queue(b);
}

// A barrier is missing: a way without one, in the order in which the waves are in the code; around a loop if they are further
// apart than the code without it is long. Waves that are no copies of each other (groups with code of their own, or one
// barrier apart) may have no such way: then behind the one and before the other.
Spans of_barrier(const FunctionPlaces& places, const Hazard& hazard, size_t earlier, size_t later) {
  const Stops barriers = [&](size_t i) { return places.is_barrier(i); };
  size_t from = std::min(earlier, later), to = std::max(earlier, later);
  if (hazard.ahead) {
    const bool in_order = *hazard.ahead >= 0;
    const size_t first = in_order ? earlier : later, second = in_order ? later : earlier;
    const auto operations = [&](const Spans& spans) {
      int64_t count = 0;
      for (const auto& [begin, last] : spans)
        for (size_t i = begin; i <= last; ++i)
          count += have_one_queue(places.instruction(i), places.instruction(earlier));
      return count;
    };
    const int64_t apart = std::abs(*hazard.ahead);
    const Spans straight = second > first ? Ways(places, first, barriers).to(second) : Spans{};
    Spans around = around_loop(places, first, second, barriers);
    if (!around.empty() &&
        (straight.empty() || std::abs(operations(around) - apart) < std::abs(operations(straight) - apart)))
      return around;
  }
  if (from != to)
    if (Spans spans = Ways(places, from, barriers).to(to); !spans.empty()) return spans;
  if (Spans spans = Ways(places, to, barriers).to(from); !spans.empty()) return spans;
  Spans spans = Ways(places, from, barriers).to_stops();
  for (const Span& span : behind_stop(places, to, barriers)) spans.push_back(span);
  return spans;
}

// A wait is missing before a barrier, or before an atomic that tells other workgroups.
Spans of_wait_before(const FunctionPlaces& places, const Stops& stops, size_t from, size_t to) {
  if (Spans spans = up_to_last(Ways(places, from, {}).to(to), stops); !spans.empty()) return spans;
  return Ways(places, from, stops).to_stops();
}

Spans spans_of(const FunctionPlaces& places, const Hazard& hazard, size_t earlier, size_t later) {
  const MissingOrder missing = missing_order(hazard.type, hazard.missing);
  const Stops barriers = [&](size_t i) { return places.is_barrier(i); };
  const Stops atomics = [&](size_t i) {
    return isa::memory_of(places.instruction(i)).kind == isa::MemoryKind::atomic;
  };
  if (hazard.type == HazardClass::visibility) return behind_stop(places, later, atomics);
  if (missing.barrier) return of_barrier(places, hazard, earlier, later);
  if (missing.before == MissingOrder::Before::barrier)
    return of_wait_before(places, barriers, earlier, later);
  if (missing.before == MissingOrder::Before::atomic) return of_wait_before(places, atomics, earlier, later);
  const bool is_of_wave = hazard.type == HazardClass::register_in_flight ||
                          hazard.type == HazardClass::wait_states || missing.waits();
  if (!is_of_wave) return {}; // an order between workgroups, or no matter of order
  return Ways(places, earlier, {}).to(later);
}

} // namespace

OrderingPlaces ordering_places(const FunctionPlaces& places, const Hazard& hazard, size_t earlier,
                               size_t later) {
  OrderingPlaces result;
  const Spans spans = spans_of(places, hazard, earlier, later);
  for (const auto& [first, last] : spans)
    result.between.push_back({places.offset(first), places.offset(last)});
  if (spans.empty()) return result;
  size_t at = spans.back().second;
  const size_t begin = places.flow().blocks[places.block_of(at)].begin;
  const auto ends_stretch = [&](size_t i) {
    const isa::Instruction& in = places.instruction(i);
    const isa::ControlRole role = isa::control_of(in);
    return isa::memory_of(in).kind != isa::MemoryKind::none || role == isa::ControlRole::waitcnt ||
           role == isa::ControlRole::barrier;
  };
  while (at > begin && !ends_stretch(at - 1)) --at;
  result.stretch = places.offset(at);
  return result;
}

} // namespace fmha950::observe
