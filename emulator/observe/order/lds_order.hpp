#pragma once
// Order of LDS accesses (DESIGN.md section 5, hazard 2): waits and barriers must order two accesses to a byte
// if at least one writes. Actors are, per wave, its DS operations (in issue order) and its LDS DMA
// (likewise, in the VMEM queue; machine_gfx950.md section 1.1). An operation is ordered before what its own
// wave does once a wait has made it complete, and before what another wave does once a barrier has told that
// wave so. LDS atomics are unordered among themselves, which is no hazard.
//
// Flags order, too (DESIGN.md section 5). An atomic that returns acquires what has been released at its dwords, by
// atomics and by the last DS write; so does an instruction that polls (polling.hpp), and it conflicts with no DS
// write. What a DS operation releases is what its wave knew when it was issued: its earlier DS operations, as these
// are in order, and of VMEM, SMEM and other waves only what was waited for. Acquired is at the wait for the result.
//
// Not reported: lanes of one instruction that write the same byte. Two waves that write the same bytes are a note, also
// by LDS DMA: it brings what memory holds when it is issued. That is not known of less than a dword, nor while a store of
// its own wave, which comes before it, is in flight.
// A workgroup's operations beyond the numbers that Epoch has room for are not checked, which is a note. A wave that
// ends arrives for the last time: no barrier is released before it has
// drained its queues.
//
// Exact up to and including the first hazard of a byte.

#include "emulator/observe/operation/lds_footprint.hpp"
#include "emulator/observe/order/clocks.hpp"
#include "emulator/observe/order/conflict.hpp"
#include "emulator/observe/order/lds_shadow.hpp"
#include "emulator/observe/order/numbered_log.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <memory>
#include <unordered_map>

namespace fmha950::machine {
struct Workgroup;
}

namespace fmha950::observe {

class LdsOrder {
 public:
  LdsOrder(WorkgroupClocks& clocks, HazardSink& sink) : clocks_(clocks), sink_(sink) {}
  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, const Completion& completion);
  void waited(int wave, const Completion& completion) { // and knows to be complete what it did not
    if (!acquires_[wave].empty()) [[unlikely]]
      acquire(wave, completion);
  }
  void released(); // after WorkgroupClocks::released

 private:
  struct Write { // of a write's number
    Operation by;
    const isa::Instruction* instruction = nullptr;
    uint32_t vm_complete = 0, smem_complete = 0; // of its wave
    bool is_known = true;                        // stored_ has its bytes
  };
  struct Learned { // what a wave knew before it acquired, for its writes below that number
    uint32_t next_write;
    WorkgroupClocks::Known before;
  };
  struct Acquire { // to be done once the wave knows its DS operation to be complete
    uint32_t clock;
    std::vector<LdsFootprint::Span> spans;
  };
  // The last access of one kind by each wave's DS queue. Numbers are DS clocks above base_.
  struct Columns {
    std::array<LdsColumn, VectorClock::max_waves> of;
    std::array<uint32_t, VectorClock::max_waves> latest = {}; // clock; 0: none in this workgroup
    bool any = false;
  };
  struct Earlier { // party of a hazard
    Use use;
    bool equal; // both write the same bytes
    Operation by;
    const isa::Instruction* instruction;
  };
  struct Found {
    Earlier earlier;
    int earlier_lane, lane;
    uint32_t begin, end; // cells
  };
  struct Current { // the event at hand
    const MemoryEvent& event;
    const Completion& completion;
    Use use;
    const LdsFootprint& touched;
    bool is_known; // what a write writes
  };

  void forget();
  void forget_footprints();
  template <class Visit> void for_each_column(Visit visit); // last_write_ and what waves have

  void resize();
  void split();
  void check_last_write(const Current& now);
  void check_columns(const Current& now, Columns& columns, Use use);
  void record(const Current& now);
  void synchronise(const Current& now);
  void acquire(int wave, const Completion& completion);
  WorkgroupClocks::Known released_by(uint32_t number) const;
  void record(Columns& columns, const Current& now);
  void found(const Earlier& earlier, Epoch epoch, uint32_t cell, int lane);
  void report(const Current& now, const Found& hazard);
  void report_unchecked(const MemoryEvent& event);
  bool writes_what_is_there(const Current& now, const LdsFootprint::Range& range, uint32_t cell) const;
  bool knows_what_comes(const MemoryEvent& event, const Completion& completion) const;
  // visit(range, cell) for each cell of each lane.
  template <class Visit> void for_each_cell(const Current& now, Visit visit) const;

  WorkgroupClocks& clocks_;
  HazardSink& sink_;
  const loader::Kernel* kernel_ = nullptr;
  uint64_t workgroup_ = 0;
  size_t waves_ = 0;
  uint32_t lds_bytes_ = 0;
  int cell_shift_ = 2;     // 2: dwords, 0: bytes
  bool unchecked_ = false; // and reported so

  // Epochs of earlier workgroups stay where they are: their numbers are below these.
  uint32_t base_ = 0;          // DS clocks
  uint32_t next_write_ = 1;    // number of the next write
  uint32_t ordered_write_ = 0; // writes up to this number are complete, and all waves know
  uint32_t latest_clock_ = 0;  // of any wave's DS queue
  LdsColumn last_write_;
  std::vector<uint8_t> stored_;               // what was written last
  Columns reads_, atomics_, polling_atomics_; // those that poll read flags that others write
  NumberedLog<Write> writes_;
  std::array<uint32_t, VectorClock::max_waves> latest_store_ =
      {}; // to device memory: its clock in the VMEM queue
  std::array<NumberedLog<const isa::Instruction*>, VectorClock::max_waves> ds_log_; // by clock

  // Flags.
  using Known = WorkgroupClocks::Known;
  std::array<std::vector<Acquire>, VectorClock::max_waves> acquires_;
  std::array<std::vector<Learned>, VectorClock::max_waves> learned_;    // since the last barrier
  std::unordered_map<uint32_t, std::shared_ptr<const Known>> released_; // by atomics, at a dword

  LdsFootprints footprints_;
  std::vector<Found> found_;
};

} // namespace fmha950::observe
