#include "emulator/timing/model/wave_replay.hpp"

#include "emulator/machine/memory_queue.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"

#include <algorithm>
#include <bit>

namespace fmha950::timing {
namespace {

Spent busy_reason(Pipe pipe) {
  switch (pipe) {
  case Pipe::matrix: return Spent::matrix_busy;
  case Pipe::valu: return Spent::valu_busy;
  case Pipe::lds: return Spent::lds_busy;
  case Pipe::vmem: return Spent::vmem_busy;
  default: return Spent::scalar_busy;
  }
}

} // namespace

const char* name_of(Spent spent) {
  static constexpr const char* names[] = {
      "issue",  "dependence", "mfma_result", "vmcnt",     "lgkmcnt",  "barrier",   "nop",
      "branch", "fetch",      "matrix_busy", "valu_busy", "lds_busy", "vmem_busy", "scalar_busy"};
  return names[static_cast<size_t>(spent)];
}

WaveReplay::WaveReplay(const std::vector<Op>& ops, const WaveRecord& record, uint64_t dispatched,
                       InstructionFetch& fetch, std::vector<OpTime>& times, bool timeline, WaveFeed* feed)
    : ready_(dispatched + workgroup_start_clocks), ops_(ops), record_(record), fetch_(fetch), times_(times),
      asked_(!feed), timeline_(timeline), feed_(feed), head_number_(record.ops.front()) {
  settle(dispatched);
}

void WaveReplay::keep_span(uint64_t clocks, Spent why) {
  const bool goes_on = why != Spent::issue && !spans_.empty() && spans_.back().spent == why &&
                       spans_.back().op == head_number(); // one s_waitcnt, several loads
  if (goes_on)
    spans_.back().clocks += clocks;
  else
    spans_.push_back({why, head_number(), ready_, clocks});
}

void WaveReplay::account(uint64_t clocks, Spent why) {
  times_[head_number()].spent[static_cast<size_t>(why)] += clocks;
  if (timeline_) [[unlikely]]
    keep_span(clocks, why);
}

// Without branches where nobody asks: which wait is the longest is hard to foretell.
inline void WaveReplay::wait_for(uint64_t clock, Spent why) {
  if (asked_ && clock > ready_) account(clock - ready_, why);
  ready_ = std::max(ready_, clock);
}

const MemoryAccess* WaveReplay::access() {
  if (next_access_ == record_.accesses.size()) return nullptr;
  const MemoryAccess& access = record_.accesses[next_access_];
  return feed_ || access.step == step_ ? &access : nullptr;
}

bool WaveReplay::execute() { return pass() && access() != nullptr; }

bool WaveReplay::go_on() {
  if (next_ == WaveFeed::none) return false;
  head_number_ = next_;
  ++step_;
  return true;
}

// They have started. A wave that is executed has nobody else who reads its record.
void WaveReplay::forget_accesses() {
  WaveRecord& record = feed_->record();
  record.accesses.clear();
  record.lines.clear();
  next_access_ = 0;
}

void WaveReplay::started_memory(const MemoryAccess& access, uint64_t effect, uint64_t done) {
  ++next_access_;
  if (access.path == MemoryAccess::Path::vector) {
    done = std::max(done, vm_.empty() ? 0 : vm_.back()); // returns in order of issue
    vm_.push_back(done);
  } else {
    if (access.path == MemoryAccess::Path::lds) done = last_ds_ = std::max(done, last_ds_);
    lgkm_.push_back({done, std::max<int>(1, head_->lgkm_units)});
  }
  if (feed_) feed_->started(effect, done);
}

inline void WaveReplay::write_registers(uint64_t clock) {
  const bool soon = head_->pipe != Pipe::matrix && head_->result_clocks <= 2 * clocks_per_issue;
  if (!soon || (head_->written_groups & busy_) != 0) return write_slowly(clock);
  last_ = head_;
  last_groups_ = head_->written_groups;
  last_readable_ = clock + static_cast<uint64_t>(head_->result_clocks);
}

void WaveReplay::write_slowly(uint64_t clock) {
  const bool mfma = head_->pipe == Pipe::matrix;
  const uint64_t groups = head_->written_groups;
  last_groups_ = 0;
  const Readable readable(clock + static_cast<uint64_t>(head_->result_clocks), mfma);
  const uint64_t chainable = mfma ? clock + static_cast<uint64_t>(head_->chain_clocks) : 0;
  for (const RegisterSlots range : head_->writes) {
    std::fill_n(readable_.begin() + range.first, range.count, readable);
    if (mfma) chains_[range.first] = {chainable, readable, range.count};
  }
  const uint64_t last = std::max(readable.clock(), chainable);
  for (uint64_t left = groups; left != 0; left &= left - 1) {
    uint64_t& free = free_from_[static_cast<size_t>(std::countr_zero(left))];
    free = std::max(free, last);
  }
  busy_ |= groups;
  if (mfma) of_mfma_ |= groups;
}

void WaveReplay::issue(uint64_t clock) {
  if (asked_) {
    wait_for(clock, busy_reason(head_->pipe));
    ++times_[head_number()].issues;
  }
  wait_for(clock + clocks_per_issue, Spent::issue);
  write_registers(clock);
  if (feed_ && next_access_ != 0) forget_accesses();
  const Op& issued = *head_;
  if (!go_on()) return end();
  if (issued.pipe == Pipe::branch && ops_[head_number_].address != issued.address + 4)
    wait_for(ready_ + branch_taken_clocks, Spent::branch);
  settle(clock);
}

void WaveReplay::leave_barrier(uint64_t clock) {
  wait_for(clock, Spent::barrier);
  state_ = State::ready;
  if (!go_on()) return end();
  settle(clock);
}

// Whether some of these groups are; those that are not are forgotten.
inline bool WaveReplay::still_busy(uint64_t groups) {
  uint64_t over = 0;
  for (uint64_t left = groups; left != 0; left &= left - 1)
    if (free_from_[static_cast<size_t>(std::countr_zero(left))] <= ready_) over |= left & -left;
  busy_ &= ~over;
  of_mfma_ &= ~over;
  return groups != over;
}

inline void WaveReplay::wait_for_range(RegisterSlots range, RegisterSlots chain) {
  const std::span<const Readable> of_range(&readable_[range.first], range.count);
  if (range == chain) {
    const Chain& written = chains_[range.first];
    const auto is_its = [&](Readable each) { return each == written.readable; };
    if (written.count == range.count && std::ranges::all_of(of_range, is_its)) {
      wait_for(written.chainable, Spent::mfma_result);
      return;
    }
  }
  if (asked_) {
    for (const Readable& each : of_range)
      wait_for(each.clock(), each.of_mfma() ? Spent::mfma_result : Spent::dependence);
    return;
  }
  uint64_t last = ready_;
  for (const Readable& each : of_range) last = std::max(last, each.clock());
  ready_ = last;
}

void WaveReplay::wait_for_last() {
  const auto meets = [](RegisterSlots one, RegisterSlots other) {
    return one.first < other.first + other.count && other.first < one.first + one.count;
  };
  if ((head_->read_places & last_->written_places) == 0) return;
  for (const RegisterSlots read : head_->reads)
    for (const RegisterSlots written : last_->writes)
      if (meets(read, written)) return wait_for(last_readable_, Spent::dependence);
}

// Whatever is read, and of what is written that which an MFMA has yet to write.
void WaveReplay::wait_for_registers() {
  if (head_->read_groups & last_groups_) wait_for_last();
  const uint64_t groups = (head_->read_groups | (head_->written_groups & of_mfma_)) & busy_;
  if (groups == 0 || !still_busy(groups)) return;
  for (const RegisterSlots range : head_->reads)
    if (range.groups() & busy_) wait_for_range(range, head_->chain);
  for (const RegisterSlots range : head_->writes)
    if (readable_[range.first].of_mfma()) wait_for_range(range, head_->chain);
}

void WaveReplay::wait_for_vm(size_t left) {
  if (vm_.size() <= left) return;
  wait_for(vm_[vm_.size() - left - 1], Spent::vmcnt);
  vm_.erase(vm_.begin(), vm_.end() - static_cast<ptrdiff_t>(left));
}

void WaveReplay::wait_for_lgkm(int left) {
  int units = 0;
  for (const Pending& each : lgkm_) units += each.units;
  if (units <= left) return;
  if (!std::ranges::is_sorted(lgkm_, {}, &Pending::done)) std::ranges::sort(lgkm_, {}, &Pending::done);
  for (; units > left; lgkm_.erase(lgkm_.begin())) {
    wait_for(lgkm_.front().done, Spent::lgkmcnt);
    units -= lgkm_.front().units;
  }
}

void WaveReplay::wait_for_counters() {
  if (head_->vmcnt >= 0) wait_for_vm(static_cast<size_t>(head_->vmcnt));
  if (head_->lgkmcnt >= 0) wait_for_lgkm(head_->lgkmcnt);
}

void WaveReplay::settle(uint64_t clock) {
  do {
    head_ = &ops_[head_number_];
    __builtin_prefetch(head_ + 1); // follows most often

    if (head_->ends) {
      pass();
      break;
    }
    wait_for(fetch_.available(buffer_, *head_, clock), Spent::fetch);
    if (head_->pipe != Pipe::internal) {
      pipe_ = head_->pipe;
      wait_for_registers();
      // A counter that is full holds the next operation up (machine_gfx950.md 1.1 [I]).
      if (head_->pipe == Pipe::vmem) wait_for_vm(machine::MemoryQueues::vmcnt_max - 1);
      if (head_->lgkm_units > 0) wait_for_lgkm(machine::MemoryQueues::lgkmcnt_max - head_->lgkm_units);
      return;
    }
    if (asked_) ++times_[head_number()].issues;
    pass();
    if (head_->kind == Kind::barrier) {
      state_ = State::at_barrier;
      return;
    }
    wait_for_counters();
    wait_for(ready_ + static_cast<uint64_t>(head_->internal_clocks), Spent::nop);
    if (head_->priority >= 0) priority_ = head_->priority;
  } while (go_on());
  end();
}

// s_endpgm waits for everything (machine_gfx950.md 1.2).
void WaveReplay::end() {
  if (!vm_.empty()) wait_for(vm_.back(), Spent::vmcnt);
  state_ = State::ended;
}

} // namespace fmha950::timing
