#pragma once
// What memory operations make of the validity of registers, LDS and device memory; decided at issue.

#include "emulator/observe/initialised/initialised_device.hpp"
#include "emulator/observe/initialised/initialised_registers.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/observe/memory_operation.hpp"

#include <cstring>

namespace fmha950::observe {

// One bit per byte of a workgroup's LDS, and one per 64 bytes that says whether any of them is invalid.
class LdsValidity {
 public:
  void start(uint32_t bytes); // nobody wrote any of it
  bool is_valid(uint32_t begin, uint32_t end) const;
  // Bit i: byte begin + i is invalid; at most 32 bytes.
  uint32_t invalid(uint32_t begin, uint32_t bytes) const {
    return static_cast<uint32_t>(bits_at(begin) >> (begin % 8) & low(bytes));
  }
  void write(uint32_t begin, uint32_t bytes, uint32_t invalid) {
    const uint64_t field = low(bytes) << (begin % 8), fresh = static_cast<uint64_t>(invalid) << (begin % 8);
    const uint64_t before = bits_at(begin);
    if ((before & field) == fresh) return;
    const uint64_t after = (before & ~field) | fresh;
    std::memcpy(bits_.data() + begin / 8, &after, sizeof after);
    summarise(begin / 64);
    summarise((begin + bytes - 1) / 64);
  }

 private:
  static uint64_t low(uint32_t bits) { return (uint64_t{1} << bits) - 1; }
  uint64_t bits_at(uint32_t begin) const {
    uint64_t word;
    std::memcpy(&word, bits_.data() + begin / 8, sizeof word);
    return word;
  }
  void summarise(uint32_t word) {
    const uint64_t bit = uint64_t{1} << word % 64;
    const bool any = bits_at(word * 64) != 0;
    summary_[word / 64] = any ? summary_[word / 64] | bit : summary_[word / 64] & ~bit;
  }
  std::vector<uint8_t> bits_;
  std::vector<uint64_t> summary_;
};

// Device memory as one host thread sees it: remembers the regions it used last.
class MemoryView {
 public:
  explicit MemoryView(const DeviceInitialised& device) : device_(device) {}
  // Scratch is the workgroup's own: invalid when one starts.
  void start(uint64_t scratch_begin, uint64_t scratch_end);
  uint64_t invalid(uint64_t address, uint32_t bytes) { // bit i: byte address + i; at most 64
    const RegionValidity* region = region_of(address);
    return region && region->contains(address, bytes) ? region->invalid(address, bytes) : 0;
  }
  void write(uint64_t address, uint32_t bytes, uint64_t invalid, uint64_t instruction,
             const loader::Kernel* kernel) {
    RegionValidity* region = region_of(address);
    if (region && region->contains(address, bytes))
      region->write(address, bytes, invalid, instruction, kernel);
  }
  // Whether the 64 accesses are valid; without looking at single bytes, so false may be wrong.
  bool are_valid(const uint64_t (&addresses)[64], uint32_t bytes);

 private:
  struct Slot { // [begin, end) is one region, or (null) a gap between regions
    uint64_t begin = 0, end = 0;
    std::shared_ptr<RegionValidity> region;
  };
  RegionValidity* region_of(uint64_t address);
  const DeviceInitialised& device_;
  std::shared_ptr<RegionValidity> scratch_;
  static constexpr int slots = 4;
  Slot recent_[slots]; // the last used first
};

class MemoryFlow {
 public:
  explicit MemoryFlow(const DeviceInitialised& device) : memory_(device) {}
  void start(const machine::Workgroup& group);
  void operation(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);

 private:
  struct LaneBytes { // bit i of a lane: byte i of its access is invalid
    uint32_t of[64];
    uint64_t lanes = 0; // those with any; of[] of the others is not set
    void add(int lane, uint32_t bytes) {
      if (!bytes) return;
      const uint64_t bit = uint64_t{1} << lane;
      of[lane] = (lanes & bit ? of[lane] : 0) | bytes;
      lanes |= bit;
    }
    uint32_t at(int lane) const { return lanes >> lane & 1 ? of[lane] : 0; }
  };
  // The quick answer for the common case; false: look at every lane.
  bool is_plainly_valid(const MemoryEvent& event);
  LaneBytes in_memory(const MemoryEvent& event);
  static LaneBytes in_data(const RegisterValidity& registers, const MemoryEvent& event,
                           const InitialisedInfo& info);
  static void set_destination(RegisterValidity& registers, const MemoryEvent& event,
                              const InitialisedInfo& info, const LaneBytes& bytes);

  void load(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);
  void load_to_lds(const MemoryEvent& event, const InitialisedInfo& info);
  void store(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);
  void atomic(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);
  void scalar(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);

  // One element of a lane: in LDS or device memory.
  uint32_t invalid_at(const MemoryEvent& event, uint64_t begin, uint32_t bytes);
  void write_at(const MemoryEvent& event, uint64_t begin, uint32_t bytes, uint32_t invalid);
  template <class Visit> void for_each_piece(const MemoryEvent& event, Visit visit) const;

  LdsValidity lds_;
  uint32_t lds_bytes_ = 0;
  MemoryView memory_;
};

// Lanes that exchange data without touching memory: ds_bpermute, ds_permute, ds_swizzle.
void flow_exchange(RegisterValidity& registers, const MemoryEvent& event);

// Rearranges what the lanes of a transposing LDS read fetched (machine_gfx950.md section 3.1): `bytes` bytes
// of each lane, elements of `element_bits` bits. Bit i of a lane: its byte i is invalid.
void transpose_validity(uint32_t (&lanes)[64], uint32_t bytes, int element_bits);

} // namespace fmha950::observe
