#include "emulator/static_check/workgroup_order.hpp"

#include "emulator/observe/missing_barrier.hpp"
#include "emulator/static_check/effects.hpp"

#include <algorithm>
#include <ranges>

namespace fmha950::static_check {
namespace {

using machine::MemoryQueues;
using machine::Queue;
using Role = observe::InstructionInfo::Role;

constexpr size_t most_accesses = 4096; // of a wave: all pairs are compared

bool meet(const Code& code, const PointerBases& bases, const Executed& a, const Executed& b) {
  const Effect first = effect_of(code, a.index), second = effect_of(code, b.index);
  if (may_disturb_in_memory(first, second) && !bases.apart(a.index, b.index)) return true;
  return may_disturb_in_lds(first, second) && (!a.lds || !b.lds || overlap(*a.lds, *b.lds));
}

// What a wave has in flight: as Flights, but each operation by itself.
struct Outstanding {
  size_t entry = 0; // of the trace
  Queue queue = Queue::vm;
  bool in_order = true;
  int younger = 0;
};

// Whether no wave waits for ever, or where others have ended without a report of it (emulator/observe/barrier_check.hpp): a
// wave that ended has dropped out of the barrier, its operations complete (machine_gfx950.md section 1.2).
bool meet_to_the_end(const std::vector<std::vector<const isa::Instruction*>>& met) {
  const auto [fewest, most] =
      std::ranges::minmax(met | std::views::transform([](const auto& of) { return of.size(); }));
  if (most - fewest > 1) return false;
  return std::ranges::all_of(met, [&](const auto& more) {
    return std::ranges::all_of(met, [&](const auto& fewer) {
      return more.size() <= fewer.size() || observe::missing_barrier(more, fewer).may_be_first;
    });
  });
}

bool is_complete(const Outstanding& operation, isa::Waitcnt limits) {
  const int limit = operation.queue == Queue::vm ? limits.vmcnt : limits.lgkmcnt;
  if (limit == 0) return true;
  return operation.in_order && operation.queue != Queue::smem && operation.younger >= limit;
}

} // namespace

WorkgroupOrder::WorkgroupOrder(const Code& code, const PointerBases& bases)
    : code_(code), traces_(traces_of(code)) {
  for (const Trace& trace : traces_)
    if (trace.size() > most_accesses || std::ranges::any_of(trace, [&](const Executed& each) {
          return !has_known_effect(code, each.index);
        })) {
      traces_.clear();
      return;
    }
  find_meetings(bases);
  own_ = phases_of(code.steps(), Code::none);
}

void WorkgroupOrder::find_meetings(const PointerBases& bases) {
  for (size_t first = 0; first < traces_.size(); ++first)
    for (size_t second = first + 1; second < traces_.size(); ++second)
      for (size_t a = 0; a < traces_[first].size(); ++a)
        for (size_t b = 0; b < traces_[second].size(); ++b)
          if (meet(code_, bases, traces_[first][a], traces_[second][b]))
            meetings_.push_back({{first, a}, {second, b}});
}

WorkgroupOrder::Phases WorkgroupOrder::phases_of(const Steps& steps, size_t removed) const {
  Phases result;
  for (const Trace& trace : traces_) {
    std::vector<Span>& spans = result.spans.emplace_back(trace.size());
    std::vector<const isa::Instruction*>& met = result.met.emplace_back();
    std::vector<Outstanding> outstanding;
    int phase = 0;
    const auto wait = [&](isa::Waitcnt limits) {
      std::erase_if(outstanding, [&](const Outstanding& operation) {
        if (!is_complete(operation, limits)) return false;
        spans[operation.entry].complete = phase;
        return true;
      });
    };
    for (size_t entry = 0; entry < trace.size(); ++entry) {
      const Step& step = steps[trace[entry].index];
      wait(step.limits);
      if (code_.info(trace[entry].index).role == Role::barrier && trace[entry].index != removed)
        met.push_back(&code_.instruction(trace[entry].index));
      phase = static_cast<int>(met.size());
      spans[entry].issued = phase;
      for (const Issue& issue : step.issues()) {
        // A full counter stalls issue, which waits.
        wait(issue.queue == Queue::vm
                 ? isa::Waitcnt{MemoryQueues::vmcnt_max - issue.units, MemoryQueues::lgkmcnt_max}
                 : isa::Waitcnt{MemoryQueues::vmcnt_max, MemoryQueues::lgkmcnt_max - issue.units});
        for (Outstanding& older : outstanding) older.younger += issue.in_order && older.queue == issue.queue;
        outstanding.push_back({entry, issue.queue, issue.in_order, 0});
      }
    }
  }
  return result;
}

bool WorkgroupOrder::is_kept(const Steps& steps, size_t removed) const {
  if (traces_.empty()) return false;
  const Phases changed = phases_of(steps, removed);
  if (!meet_to_the_end(own_.met) || !meet_to_the_end(changed.met)) return false;
  const auto order = [](const Phases& phases, const Access& a, const Access& b) {
    const Span &first = phases.spans[a.wave][a.entry], &second = phases.spans[b.wave][b.entry];
    return first.complete < second.issued ? -1 : second.complete < first.issued ? 1 : 0;
  };
  return std::ranges::all_of(meetings_, [&](const auto& meeting) {
    const int before = order(own_, meeting.first, meeting.second);
    return before == 0 || before == order(changed, meeting.first, meeting.second);
  });
}

} // namespace fmha950::static_check
