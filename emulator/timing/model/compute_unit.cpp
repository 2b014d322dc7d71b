#include "emulator/timing/model/compute_unit.hpp"

#include "emulator/rates/latencies.hpp"

#include <algorithm>
#include <bit>

namespace fmha950::timing {
namespace {

constexpr uint64_t never = ~uint64_t{0};
constexpr uint64_t mfma_valu_clocks = 8; // under mfma_in_valu_slot (machine_gfx950.md 6.3)

// A SIMD has its turn every fourth clock (machine_gfx950.md 6.2).
uint64_t turn_from(int simd, uint64_t clock) {
  const auto phase = static_cast<uint64_t>(simd);
  return clock + (phase + simds_per_cu - clock % simds_per_cu) % simds_per_cu;
}

} // namespace

void ComputeUnit::Slot::look() {
  ready = wave->state() == WaveReplay::State::ready ? wave->ready_at() : never;
  pipe = wave->pipe();
  priority = static_cast<int8_t>(wave->priority());
  other = wave->head().alone ? Pipe::matrix : pipe;
}

void ComputeUnit::look_at_waves_of(const Resident& workgroup) {
  for (Simd& simd : simds_)
    for (Slot& slot : simd.slots)
      if (slot.workgroup == &workgroup) slot.look();
}

ComputeUnit::ComputeUnit(const std::vector<Op>& ops, std::vector<const WorkgroupRecord*> work,
                         std::vector<uint64_t> begins, ChipletMemory& chiplet, const Assumptions& assumptions,
                         Simulation& result, uint32_t number, bool timeline)
    : ops_(ops), work_(std::move(work)), assumptions_(assumptions), result_(result), number_(number),
      timeline_(timeline), begins_(std::move(begins)), memory_(chiplet, assumptions.translation),
      fetch_(ops, chiplet, memory_.traffic, assumptions.fetch_on_demand ? 0 : instruction_lines_ahead) {
  begin_places(0);
}

// A place that begins later asks for nothing before: what all CUs share serves in the order in which it is asked.
void ComputeUnit::begin_places(uint64_t clock) {
  for (; begun_ < begins_.size() && begins_[begun_] <= clock; ++begun_)
    start_workgroup(begins_[begun_], begins_[begun_]);
}

void ComputeUnit::enter(const WorkgroupRecord& record, WorkgroupFeed& feed, uint64_t clock) {
  feed_ = &feed;
  work_.push_back(&record);
  start_workgroup(clock, 0);
}

void ComputeUnit::start_workgroup(uint64_t clock, uint64_t begin) {
  if (next_ == work_.size()) return;
  auto& workgroup = *residents_.emplace_back(std::make_unique<Resident>());
  workgroup.record = work_[next_];
  workgroup.number = static_cast<uint32_t>(next_++);
  workgroup.start = clock;
  workgroup.begin = begin;
  ++running_;
  for (size_t w = 0; w < workgroup.record->waves.size(); ++w) {
    workgroup.waves.push_back(std::make_unique<WaveReplay>(ops_, workgroup.record->waves[w], clock, fetch_,
                                                           result_.ops, timeline_,
                                                           feed_ ? &feed_->wave(w) : nullptr));
    Simd& simd = *std::ranges::min_element(simds_, {}, [](const Simd& each) { return each.slots.size(); });
    simd.slots.push_back({workgroup.waves.back().get(), &workgroup, static_cast<uint32_t>(w)});
    simd.slots.back().look();
    uint64_t& wake = wakes_[static_cast<size_t>(&simd - simds_.data())];
    wake = std::min(wake, clock);
  }
  after_issue(workgroup);
}

void ComputeUnit::end_workgroup(Resident& workgroup) {
  uint64_t end = 0;
  for (const auto& wave : workgroup.waves) end = std::max(end, wave->ready_at());
  if (timeline_)
    for (uint32_t simd = 0; simd < simds_per_cu; ++simd)
      for (const Slot& slot : simds_[simd].slots)
        if (slot.workgroup == &workgroup)
          result_.timeline.waves.push_back(
              {number_, simd, workgroup.number, slot.index, slot.wave->take_spans()});
  for (Simd& simd : simds_)
    std::erase_if(simd.slots, [&](const Slot& slot) { return slot.workgroup == &workgroup; });
  result_.workgroups.push_back({workgroup.record->linear_id, workgroup.start, end});
  const uint64_t begin = workgroup.begin;
  result_.clocks = std::max(result_.clocks, end - begin);
  --running_;
  std::erase_if(residents_, [&](const auto& each) { return each.get() == &workgroup; });
  start_workgroup(end, begin);
}

// Opens the barrier that all waves of the workgroup have come to, and ends the workgroup when all have ended.
void ComputeUnit::after_issue(Resident& workgroup) {
  for (;;) {
    uint64_t last = 0;
    bool waits = false;
    for (const auto& wave : workgroup.waves) {
      if (wave->state() == WaveReplay::State::ready) return;
      if (wave->state() != WaveReplay::State::at_barrier) continue;
      waits = true;
      last = std::max(last, wave->ready_at());
    }
    if (!waits) return end_workgroup(workgroup);
    if (feed_) feed_->barrier_released();
    for (const auto& wave : workgroup.waves)
      if (wave->state() == WaveReplay::State::at_barrier)
        wave->leave_barrier(last + static_cast<uint64_t>(assumptions_.barrier_clocks));
    look_at_waves_of(workgroup);
    for (uint64_t& wake : wakes_) wake = std::min(wake, last);
  }
}

void ComputeUnit::arbitrate(size_t number, uint64_t clock) {
  if (begun_ < begins_.size()) [[unlikely]]
    begin_places(clock);
  Simd& simd = simds_[number];
  simd.free[static_cast<size_t>(Pipe::vmem)] = vmem_free();
  uint32_t candidates = 0;
  for (size_t i = 0; i < simd.slots.size(); ++i)
    candidates |= uint32_t{simd.takes(simd.slots[i], clock)} << i;
  if (std::has_single_bit(candidates))
    issue(simd, simd.slots[static_cast<size_t>(std::countr_zero(candidates))], clock);
  else if (candidates != 0) // none: other SIMDs have filled the queue of addresses
    issue_one_of_each(simd, candidates, clock);

  uint64_t wake = never;
  simd.free[static_cast<size_t>(Pipe::vmem)] = vmem_free();
  for (const Slot& slot : simd.slots) wake = std::min(wake, simd.next(slot));
  if (begun_ < begins_.size()) [[unlikely]]
    wake = std::min(wake, begins_[begun_]);
  wake = std::max(wake, clock + clocks_per_issue);
  wakes_[number] = wake == never ? never : turn_from(static_cast<int>(number), wake);
}

// By pipe: of the waves that might, the oldest of the highest priority. What runs alone asks for the matrix unit and the VALU.
void ComputeUnit::issue_one_of_each(Simd& simd, uint32_t candidates, uint64_t clock) {
  std::array<Slot*, pipes> chosen; // of the pipes in `asked`
  uint32_t asked = 0;
  const auto prefers = [](const Slot* other, const Slot& slot) { return slot.priority > other->priority; };
  for (; candidates != 0; candidates &= candidates - 1) {
    Slot& slot = simd.slots[static_cast<size_t>(std::countr_zero(candidates))];
    Pipe pipe = slot.alone() ? Pipe::matrix : slot.pipe;
    if (pipe == Pipe::matrix && assumptions_.mfma_in_valu_slot) pipe = Pipe::valu;
    const auto place = static_cast<size_t>(pipe);
    if (!(asked >> place & 1) || prefers(chosen[place], slot)) chosen[place] = &slot;
    asked |= 1u << place;
  }
  constexpr auto matrix = static_cast<size_t>(Pipe::matrix), valu = static_cast<size_t>(Pipe::valu);
  if ((asked >> matrix & asked >> valu & 1) && chosen[matrix]->alone()) { // one of the two
    const bool is_older = chosen[matrix] < chosen[valu];
    const bool wins =
        prefers(chosen[valu], *chosen[matrix]) || (is_older && !prefers(chosen[matrix], *chosen[valu]));
    asked &= ~(1u << (wins ? valu : matrix));
  }
  if (std::has_single_bit(asked))
    return issue(simd, *chosen[static_cast<size_t>(std::countr_zero(asked))], clock);
  std::array<Slot, pipes> issuing; // ending a workgroup moves the slots
  size_t count = 0;
  for (; asked != 0; asked &= asked - 1)
    issuing[count++] = *chosen[static_cast<size_t>(std::countr_zero(asked))];
  for (size_t i = 0; i < count; ++i) issue(simd, issuing[i], clock);
  for (Slot& slot : simd.slots) slot.look();
}

void ComputeUnit::hold_pipe(Simd& simd, const Op& op, uint64_t clock) {
  const auto pipe = static_cast<size_t>(op.pipe);
  const auto clocks = static_cast<uint64_t>(op.clocks);
  const bool is_matrix = op.pipe == Pipe::matrix;
  simd.free[pipe] = clock + clocks; // 0 but of matrix and VALU
  result_.busy[pipe] += clocks;
  ++result_.issued[pipe];
  result_.matrix[static_cast<size_t>(op.format)] += is_matrix ? clocks : 0;
  if (op.alone) simd.free[static_cast<size_t>(Pipe::matrix)] = simd.matrix_free = clock + clocks;
  if (!assumptions_.mfma_in_valu_slot) return;
  uint64_t& valu = simd.free[static_cast<size_t>(Pipe::valu)];
  if (is_matrix) {
    simd.matrix_free = clock + clocks;
    valu = clock + mfma_valu_clocks;
  }
  simd.free[static_cast<size_t>(Pipe::matrix)] = std::max(simd.matrix_free, valu);
}

void ComputeUnit::issue(Simd& simd, Slot& slot, uint64_t clock) {
  WaveReplay& wave = *slot.wave;
  const Op& op = wave.head();
  hold_pipe(simd, op, clock);
  Issued by;
  if (timeline_) [[unlikely]] {
    by = {number_, static_cast<uint32_t>(&simd - simds_.data()), slot.workgroup->number, slot.index,
          wave.head_number()};
    show_pipe(op, by, clock);
  }
  if (feed_ && feed_->due() <= clock) feed_->happen_until(clock);
  if (wave.execute()) start_memory(wave, clock, by);
  wave.issue(clock);
  slot.look();
  if (slot.ready == never) after_issue(*slot.workgroup);
}

void ComputeUnit::hold(Unit unit, const Issued& by, auto clock, auto clocks) {
  if (timeline_) [[unlikely]]
    keep_span({unit, by, static_cast<double>(clock), static_cast<double>(clocks)});
}

void ComputeUnit::keep_span(const UnitSpan& span) {
  if (span.clocks > 0) result_.timeline.units.push_back(span);
}

// Holds units of the SIMD; those of the CU are held when memory starts.
void ComputeUnit::show_pipe(const Op& op, const Issued& by, uint64_t clock) {
  switch (op.pipe) {
  case Pipe::matrix:
    if (assumptions_.mfma_in_valu_slot) hold(Pipe::valu, by, clock, mfma_valu_clocks);
    return hold(op.pipe, by, clock, op.clocks);
  case Pipe::valu: return hold(op.pipe, by, clock, op.clocks);
  case Pipe::scalar:
  case Pipe::branch: return hold(op.pipe, by, clock, clocks_per_issue);
  default: return;
  }
}

uint64_t ComputeUnit::serve_lds(uint64_t clock, uint64_t clocks, const Issued& by) {
  lds_free_ = std::max(lds_free_, clock) + clocks;
  result_.busy[static_cast<size_t>(Pipe::lds)] += clocks;
  hold(Pipe::lds, by, lds_free_ - clocks, clocks);
  return lds_free_;
}

// What arrived by DMA until then took its turn before.
uint64_t ComputeUnit::lds_until(uint64_t clock, uint64_t clocks, const Issued& by) {
  for (; !arrivals_.empty() && arrivals_.top().clock <= clock; arrivals_.pop())
    serve_lds(arrivals_.top().clock, arrivals_.top().clocks, arrivals_.top().by);
  return serve_lds(clock, clocks, by);
}

void ComputeUnit::start_memory(WaveReplay& wave, uint64_t clock, const Issued& by) {
  const Kind kind = wave.head().kind;
  while (const MemoryAccess* access = wave.access()) {
    const std::span<const uint64_t> lines = wave.lines_of(*access);
    uint64_t clocks = access->clocks;
    if (access->path == MemoryAccess::Path::lds) {
      const bool reads = kind == Kind::lds_read || kind == Kind::lds_transpose;
      if (assumptions_.lds_reads_128 && reads) clocks *= 2;
      const uint64_t served = lds_until(clock, clocks, by);
      wave.started_memory(*access, served, served + lds_latency);
    } else if (access->path == MemoryAccess::Path::scalar) {
      const uint64_t there = memory_.scalar_load(lines, clock);
      wave.started_memory(*access, there, there);
    } else {
      addresses_free_ = std::max(addresses_free_, clock) + clocks;
      result_.busy[static_cast<size_t>(Pipe::vmem)] += clocks;
      hold(Pipe::vmem, by, addresses_free_ - clocks, clocks);
      const double asked = std::max(memory_.l2_port_free(), static_cast<double>(addresses_free_));
      uint64_t finished = access->store ? memory_.store(lines, access->bytes, addresses_free_)
                                        : memory_.load(lines, addresses_free_);
      const uint64_t effect = access->store ? addresses_free_ : finished;   // a store's data leave in order
      hold(MemoryPort::l2_port, by, asked, memory_.l2_port_free() - asked); // its lines, in one go
      if (access->dma_clocks) {
        const uint64_t written = uint64_t{access->dma_clocks} * (assumptions_.slow_lds_dma ? 2 : 1);
        arrivals_.push({finished, written, by});
        finished += written;
      }
      wave.started_memory(*access, effect, finished);
    }
  }
}

void ComputeUnit::finish() { result_.traffic += memory_.traffic; }

} // namespace fmha950::timing
