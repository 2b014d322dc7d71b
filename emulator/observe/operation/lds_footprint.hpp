#pragma once
// Which bytes of LDS a memory operation touches, lane by lane. Loops come to the same addresses again and again, so
// what was found is kept and found again by the addresses. What lies outside the workgroup's LDS is not touched.

#include "emulator/observe/operation/fixed_list.hpp"
#include "emulator/observe/operation/memory_operation.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace fmha950::observe {

struct LdsFootprint {
  struct Range { // of one lane
    uint32_t begin;
    uint8_t bytes;
    int8_t lane;
    uint8_t offset; // in what the lane writes
  };
  struct Span { // of lanes that follow each other
    uint32_t begin, end;
  };
  static constexpr size_t most_ranges = 128; // two elements of 64 lanes

  uint32_t begin = ~0u, end = 0; // around all of them
  bool in_dwords = true;         // whole ones
  mutable uint64_t valid_at = 0; // an age at which all of it was written (lds_validity.hpp); 0: none
  FixedList<Span, most_ranges> spans;
  FixedList<Range, most_ranges> ranges;

  bool empty() const { return ranges.empty(); }
};

class LdsFootprints { // of one host thread
 public:
  void start(uint32_t lds_bytes); // of the workgroup that runs
  // Of an event that touches LDS, while there is room. It stays where it is until clear().
  const LdsFootprint& find(const MemoryEvent& event);
  bool full() const { return used_ == most; }
  void clear();

 private:
  struct Key { // what decides, beside the addresses
    uint64_t lanes = 0, operation = 0;
    uint32_t offset = 0; // LDS DMA: base
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    uint32_t addresses[64];
    LdsFootprint footprint;
  };
  static constexpr size_t most = 1024, slots = 4 * most; // of some 2 KiB each

  static Key key_of(const MemoryEvent& event);
  static size_t addresses_of(const MemoryEvent& event); // how many decide
  void collect(const MemoryEvent& event, LdsFootprint& footprint) const;

  uint32_t lds_bytes_ = 0;
  size_t used_ = 0;
  std::vector<std::unique_ptr<Entry>> entries_; // made when they are needed, used again after clear()
  std::vector<Entry*> table_ = std::vector<Entry*>(slots);
};

} // namespace fmha950::observe
