#pragma once
// One CU: four SIMDs with their matrix unit and VALU, the LDS and the unit of vector addresses that they
// share, and the workgroups that run on it one after the other.

#include "emulator/rates/rates.hpp"
#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/model/wave_replay.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <queue>
#include <ranges>

namespace fmha950::timing {

class ComputeUnit {
 public:
  // `work`: in dispatch order. `begins`: from which clock on each place takes workgroups, ascending; as many are resident.
  ComputeUnit(const std::vector<Op>& ops, std::vector<const WorkgroupRecord*> work,
              std::vector<uint64_t> begins, ChipletMemory& chiplet, const Assumptions& assumptions,
              Simulation& result, uint32_t number, bool timeline);

  // A workgroup that is executed while the unit goes through it, by `feed`. The unit has room for it.
  void enter(const WorkgroupRecord& record, WorkgroupFeed& feed, uint64_t clock);

  bool done() const { return running_ == 0 && next_ == work_.size(); }
  uint64_t wake() const { return std::ranges::min(wakes_); } // no SIMD has anything to do before
  // One arbitration of a SIMD: at most one instruction of each pipe, each of another wave.
  // False: it had nothing to do.
  bool serve(size_t simd, uint64_t clock) {
    if (wakes_[simd] > clock) return false;
    arbitrate(simd, clock);
    return true;
  }
  void finish(); // adds what it counted to the result

 private:
  struct Resident {
    const WorkgroupRecord* record = nullptr;
    uint32_t number = 0; // in work
    uint64_t start = 0;
    uint64_t begin = 0; // of its place
    std::vector<std::unique_ptr<WaveReplay>> waves;
  };
  struct Slot { // a wave on a SIMD
    WaveReplay* wave;
    Resident* workgroup;
    uint32_t index; // of the wave in its workgroup
    // What each turn asks of all waves, as look() saw it last.
    Pipe pipe = Pipe::internal;
    Pipe other = Pipe::internal; // that it asks for besides; the same if it does for none
    int8_t priority = 0;
    uint64_t ready = 0; // clock; never: it stands at a barrier, or has ended
    void look();
    bool alone() const { return other != pipe; } // asks for the matrix unit, too
  };
  struct Simd {
    std::vector<Slot> slots;            // oldest first
    std::array<uint64_t, pipes> free{}; // from which clock on a pipe takes an instruction
    uint64_t matrix_free = 0;           // by what the matrix unit does, where it waits for the VALU too
    bool takes(const Slot& slot, uint64_t clock) const { return next(slot) <= clock; }
    uint64_t next(const Slot& slot) const { // that it may issue
      const uint64_t clock = std::max(slot.ready, free[static_cast<size_t>(slot.pipe)]);
      return std::max(clock, free[static_cast<size_t>(slot.other)]);
    }
  };
  struct Arrival { // data of LDS DMA
    uint64_t clock;
    uint64_t clocks;
    Issued by;
    bool operator>(const Arrival& other) const { return clock > other.clock; }
  };

  void arbitrate(size_t simd, uint64_t clock);
  void begin_places(uint64_t clock);
  void start_workgroup(uint64_t clock, uint64_t begin);
  void end_workgroup(Resident& workgroup);
  void issue_one_of_each(Simd& simd, uint32_t candidates, uint64_t clock);
  void issue(Simd& simd, Slot& slot, uint64_t clock);
  void start_memory(WaveReplay& wave, uint64_t clock, const Issued& by);
  void after_issue(Resident& workgroup);
  void hold_pipe(Simd& simd, const Op& op, uint64_t clock);
  void look_at_waves_of(const Resident& workgroup);
  uint64_t serve_lds(uint64_t clock, uint64_t clocks, const Issued& by);
  uint64_t lds_until(uint64_t clock, uint64_t clocks, const Issued& by);
  [[gnu::cold]] void keep_span(const UnitSpan& span);
  [[gnu::cold]] void show_pipe(const Op& op, const Issued& by, uint64_t clock);
  void hold(Unit unit, const Issued& by, auto clock, auto clocks);

  const std::vector<Op>& ops_;
  std::vector<const WorkgroupRecord*> work_;
  const Assumptions& assumptions_;
  Simulation& result_;
  uint32_t number_;
  bool timeline_;
  std::vector<uint64_t> begins_; // of places
  size_t begun_ = 0;
  CuMemory memory_;
  InstructionFetch fetch_;
  std::array<uint64_t, simds_per_cu> wakes_{}; // of a SIMD: it has nothing to do before
  std::array<Simd, simds_per_cu> simds_;
  std::vector<std::unique_ptr<Resident>> residents_;
  size_t next_ = 0;
  int running_ = 0;
  WorkgroupFeed* feed_ = nullptr; // null: workgroups were recorded
  uint64_t lds_free_ = 0, addresses_free_ = 0;
  uint64_t vmem_free() const {
    return addresses_free_ > vmem_queue_clocks ? addresses_free_ - vmem_queue_clocks : 0;
  }
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

// Runs units together, clock by clock, until all are done. While any has something to do no clock is skipped, even if there
// is nothing at it: which clock comes next is then no result of what is done at this one, for which the host would wait.
template <class Units> void run_to_the_end(Units&& units) {
  for (uint64_t clock = 0; !std::ranges::all_of(units, &ComputeUnit::done);) {
    clock = std::max(clock, std::ranges::min(units | std::views::transform(&ComputeUnit::wake)));
    for (bool served = true; served;) {
      served = false;
      for (int turn = 0; turn < simds_per_cu; ++turn, ++clock)
        for (ComputeUnit& unit : units) served |= unit.serve(clock % simds_per_cu, clock);
    }
  }
}

} // namespace fmha950::timing
