#pragma once
// What memory_order.hpp remembers of device memory during a launch, shared by all host threads: per cell its
// last plain store, last atomic and two others, and what atomics have released. Blocks of 4 KiB are made when they are touched,
// and cleared when a later launch touches them again: earlier launches are complete.

#include "emulator/observe/order/clocks.hpp"
#include "emulator/program/instruction.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace fmha950::observe {

// Who accessed a cell, in 64 bits; 0: nobody. What does not fit errs on the side of silence, and memory_order.hpp
// reports that it does not:
// - workgroup modulo 2^20 (clocks.hpp);
// - clock saturates: operations of a wave from number 2^20 - 1 on are taken for complete once that one is;
// - instruction: of more than 4095 different ones the rest have no name in reports.
struct AccessTag {
  static constexpr uint32_t last_clock = (1u << 20) - 1, last_instruction = (1u << 12) - 1;
  uint64_t bits = 0;

  static AccessTag make(uint64_t workgroup, int wave, bool scalar, bool atomic, uint32_t instruction,
                        uint32_t clock) {
    return {(workgroup & workgroup_mask) << 44 | static_cast<uint64_t>(wave) << 40 | uint64_t{scalar} << 39 |
            uint64_t{atomic} << 38 | uint64_t{instruction} << 20 | (clock < last_clock ? clock : last_clock)};
  }
  AccessTag at_lane(int lane) const { return {bits | static_cast<uint64_t>(lane & 63) << 32}; }
  AccessTag any_lane() const { return {bits & ~(uint64_t{63} << 32)}; }

  explicit operator bool() const { return bits; }
  bool operator==(const AccessTag&) const = default;
  bool same_actor(AccessTag other) const { return (bits ^ other.bits) >> 39 == 0; }
  bool same_workgroup(AccessTag other) const { return (bits ^ other.bits) >> 44 == 0; }
  uint64_t workgroup() const { return bits >> 44; }
  int wave() const { return bits >> 40 & 15; }
  bool scalar() const { return bits >> 39 & 1; } // by SMEM, else VMEM
  bool atomic() const { return bits >> 38 & 1; }
  int lane() const { return scalar() ? -1 : static_cast<int>(bits >> 32 & 63); }
  uint32_t instruction() const { return bits >> 20 & last_instruction; }
  uint32_t clock() const { return bits & last_clock; }
  Operation operation() const {
    return {clock(), static_cast<uint8_t>(wave()), scalar() ? machine::Queue::smem : machine::Queue::vm};
  }
};

// Atomics tolerate each other and loads, a plain store conflicts with all three: an atomic therefore takes the
// place of neither the last plain store nor of other waves' atomics.
struct MemoryCell {
  using Others = std::array<AccessTag, 2>;
  AccessTag write;  // the last plain store
  AccessTag atomic; // the last atomic since
  Others other;     // loads and older atomics since: unordered, of different workgroups where there are such
};

// Cells of a block are as wide as the accesses so far allow: 16 bytes down to 1. As long as the block has only been
// loaded, in whole rows of eight cells by eight lanes each, a row has one entry for all of its cells: it has the lane
// of cell 0, and cell i was loaded by that lane ^ i. So it is when lanes follow each other, and when kernels swizzle them.
class MemoryBlock {
 public:
  static constexpr int address_bits = 12;
  static constexpr uint64_t bytes = uint64_t{1} << address_bits;

  void lock() {
    while (locked_.test_and_set(std::memory_order_acquire))
      while (locked_.test(std::memory_order_relaxed)) __builtin_ia32_pause();
  }
  void unlock() { locked_.clear(std::memory_order_release); }

  // With the lock held: the cells of an access to [begin, begin + count), which lies within the block.
  struct Span {
    MemoryCell* first;
    uint32_t count;
    int shift; // of a cell's bytes
  };
  [[gnu::always_inline]] Span span(uint64_t launch, uint64_t begin, uint32_t count) {
    if (launch != launch_ || in_rows_ || (begin | count) & ((1u << shift_) - 1)) [[unlikely]]
      fit(launch, __builtin_ctz(static_cast<uint32_t>(begin) | count | 16));
    return {&cells_[(begin & (bytes - 1)) >> shift_], count >> shift_, shift_};
  }
  // Likewise the row that begins there or before, to be loaded as a whole; null: ask for cells.
  static constexpr int cells_of_row = 8;
  static constexpr uint64_t row_bytes = 16 * cells_of_row;
  MemoryCell::Others* row(uint64_t launch, uint64_t address) {
    if (launch != launch_) [[unlikely]]
      start_rows(launch);
    return in_rows_ ? &rows_[address % bytes / row_bytes] : nullptr;
  }
  void prefetch(uint64_t begin, uint32_t count) const { // as far as there are cells
    const size_t first = (begin & (bytes - 1)) >> shift_;
    const size_t end = std::min(first + (count >> shift_), cells_.size());
    for (size_t i = first; i < end; i += 2) __builtin_prefetch(&cells_[i], 1);
  }
  // With the lock held: gives the memory back, too (an assigned {} would keep the vector's).
  void forget() {
    cells_ = std::vector<MemoryCell>();
    stored_.reset();
    launch_ = 0;
    in_rows_ = false;
  }
  size_t cells() const { return cells_.size(); }

  // What the last plain stores wrote, at an address of the block; of bytes that none wrote, anything.
  uint8_t* stored(uint64_t address) {
    if (!stored_) stored_ = std::make_unique_for_overwrite<uint8_t[]>(bytes);
    return &stored_[address & (bytes - 1)];
  }

 private:
  void fit(uint64_t launch, int shift);
  void start_rows(uint64_t launch);
  void leave_rows();

  std::atomic_flag locked_;
  bool in_rows_ = false;
  int shift_ = 0;
  uint64_t launch_ = 0;
  std::vector<MemoryCell> cells_;
  std::array<MemoryCell::Others, bytes / row_bytes> rows_;
  std::unique_ptr<uint8_t[]> stored_;
};

class MemoryShadow {
 public:
  void begin_launch();
  uint64_t launch() const { return launch_; }
  MemoryBlock& block(uint64_t address);
  void forget(uint64_t begin, uint64_t end); // freed: between launches, or concurrent with none that use it

  // Instructions by a number from 1; 0: too many.
  uint32_t number_of(const isa::Instruction* instruction);
  const isa::Instruction* instruction(uint32_t number) const;

  // Atomics: what is released at an address adds up.
  struct Released {
    SharedKnowledge known, in_memory; // in_memory: what of it is past the caches (visibility.hpp)
    bool operator==(const Released&) const = default;
  };
  void release(const std::vector<uint64_t>& addresses, const Released& released);
  Released released_at(uint64_t address) const;

 private:
  template <class T> struct Node { // of a radix tree over addresses
    static constexpr int bits = 12;
    std::array<std::atomic<T*>, size_t{1} << bits> children = {};
    ~Node() {
      for (auto& child : children) delete child.load();
    }
    T* find(uint64_t key) const {
      return children[key & (children.size() - 1)].load(std::memory_order_acquire);
    }
    T& make(uint64_t key) {
      std::atomic<T*>& slot = children[key & (children.size() - 1)];
      T* there = slot.load(std::memory_order_acquire);
      if (there) [[likely]]
        return *there;
      auto made = std::make_unique<T>();
      return slot.compare_exchange_strong(there, made.get()) ? *made.release() : *there;
    }
  };
  Node<Node<Node<MemoryBlock>>> root_; // 48 address bits

  uint64_t launch_ = 1; // 0: none, for blocks that nobody has touched
  mutable std::mutex mutex_;
  std::unordered_map<const isa::Instruction*, uint32_t> numbers_;
  std::vector<const isa::Instruction*> instructions_;
  std::unordered_map<uint64_t, Released> released_; // by address
};

} // namespace fmha950::observe
