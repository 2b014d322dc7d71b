#pragma once
// Order of device-memory accesses within a launch (DESIGN.md section 5, hazard 3). Two accesses to a byte, of
// which at least one writes, are ordered
// - of one wave: VMEM operations always, in issue order; against SMEM by a wait in between;
// - of two waves of a workgroup: by a wait of the earlier one and a barrier, as in lds_order.hpp;
// - of two workgroups: not at all, but through atomics;
// - of two launches: always.
//
// Atomics never conflict with each other, nor with loads (flags are polled), but with plain stores they do,
// whichever of the two came first.
// An atomic releases what its wave knows to be complete when it is issued. A returning atomic, or a load of a
// cell that an atomic wrote, acquires what has been released there until its wave has waited for it. Loads
// and stores of up to 8 bytes with a scope (sc0, sc1) are how compilers write atomic and volatile ones, and
// count as atomics.
//
// Lanes that follow each other in memory are one range, so that bytes that a wave copies one by one need no cell each:
// the lane that a report names is the first of its cell.
//
// Not reported: lanes of one instruction that write the same byte; conflicts with one of three or more loads and
// atomics that are unordered among themselves, when those that are remembered are ordered before the store;
// scratch (swizzled accesses). Two waves that store the same bytes are a note. What AccessTag has no room for is a
// note, too: from there on less is seen.

#include "emulator/observe/operation/fixed_list.hpp"
#include "emulator/observe/order/conflict.hpp"
#include "emulator/observe/order/visibility.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <array>

namespace fmha950::machine {
struct Workgroup;
}

namespace fmha950::observe {

class MemoryOrder { // of one host thread
 public:
  MemoryOrder(MemoryShadow& shadow, WorkgroupClocks& clocks, Visibility& visibility, HazardSink& sink)
      : shadow_(shadow), clocks_(clocks), visibility_(visibility), sink_(sink) {}
  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, const Completion& completion);
  void waited(int wave, const Completion& completion) { acquire(wave, completion); } // before WorkgroupClocks

 private:
  struct Range { // within a block
    uint64_t begin;
    uint32_t bytes;
    int lane;
    uint32_t lanes = 1;  // that follow each other, in number and in memory: each has as many bytes
    uint32_t offset = 0; // in what the lane stores
  };
  struct Found {
    AccessTag earlier;
    Use earlier_use;
    bool equal; // two stores of the same bytes
    int lane;
    uint64_t begin, end;
    std::string invisible = {}; // ordered, but this is missing to be sure to see it
  };
  struct Acquire { // to be done once the wave knows its operation to be complete
    Operation by;
    std::vector<uint64_t> addresses;
  };
  // What remember() made of MemoryCell::other. Cells beside each other mostly hold the same but for the lanes, which
  // decide nothing: the next one then becomes alike.
  struct Remembered {
    static constexpr uint64_t no_tag = ~uint64_t{0}; // any_lane() is never this
    uint64_t before[2] = {no_tag, no_tag};           // any_lane()
    uint64_t keep[2] = {}, put[2] = {};              // masks of what was there, and of the tag
    bool changes = false;
  };
  struct Current { // the event at hand
    const MemoryEvent& event;
    const Completion& completion;
    Use use;
    bool atomic; // use is atomic, or a load or store with a scope
    AccessTag tag;
    AccessTag known = {};         // ordered before this one, looked up last
    MemoryBlock* block = nullptr; // locked
    uint64_t block_number = 0;    // of its address
    Remembered remembered = {};   // of a load, at its last cell
  };

  bool is_plain_store(const Current& now) const; // of vector registers
  void collect(const Current& now);              // into ranges_ and stores_
  bool stores_what_is_there(const Current& now, uint64_t begin, uint32_t bytes) const;
  template <Use use> void touch(Current& now);
  template <Use use>
  void touch(Current& now, MemoryCell& cell, AccessTag tag, uint64_t begin, uint32_t bytes);
  void remember(Current& now, MemoryCell::Others& other, AccessTag tag) const;
  void remember_as_before(Current& now, MemoryCell::Others& other, AccessTag tag) const;
  bool touch_rows(Current& now);
  bool lock(Current& now, uint64_t address); // the block that holds it; false: it is locked already
  static void unlock(Current& now);
  bool ordered(Current& now, AccessTag earlier) const;
  void found(AccessTag earlier, Use use, bool equal, int lane, uint64_t begin, uint32_t bytes);
  void see(Current& now, AccessTag earlier, int lane, uint64_t begin, uint32_t bytes);
  void see_flag(Current& now, AccessTag earlier, int lane, uint64_t begin, uint32_t bytes);
  Visibility::Load load_of(const Current& now) const;
  void invisible(AccessTag earlier, std::string missing, int lane, uint64_t begin, uint32_t bytes);
  void note(const machine::Wave* wave, const isa::Instruction* in, std::string what);
  void report(const Current& now, const Found& found);
  std::string missing(const Current& now, AccessTag earlier) const;
  void synchronise(const Current& now);
  void acquire(int wave, const Completion& completion);
  uint32_t number_of(const isa::Instruction* instruction);

  MemoryShadow& shadow_;
  WorkgroupClocks& clocks_;
  Visibility& visibility_;
  HazardSink& sink_;
  const loader::Kernel* kernel_ = nullptr;
  uint64_t workgroup_ = 0;
  uint64_t launch_ = 0;                                               // that numbers_ belongs to
  std::array<std::vector<Acquire>, VectorClock::max_waves> acquires_; // by wave
  std::vector<uint64_t> seen_atomics_;                                // cells that the load at hand acquires
  // Ranges of the event at hand. At worst lanes go dword by dword, and one of them crosses into another block.
  static constexpr size_t most_ranges = 64 * 4 * 2;
  FixedList<Range, most_ranges> ranges_;
  FixedList<Range, most_ranges> stores_; // of a plain store: ranges_ lane by lane
  std::vector<Found> found_;
  struct Numbered {
    const isa::Instruction* instruction = nullptr;
    uint32_t number = 0;
  };
  std::array<Numbered, 256> numbers_ = {}; // of shadow_, those used recently
};

} // namespace fmha950::observe
