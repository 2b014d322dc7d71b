#pragma once
// What memory operations make of the validity of registers, LDS and device memory; decided at issue.

#include "emulator/observe/initialised/initialised_registers.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/observe/initialised/lds_validity.hpp"
#include "emulator/observe/initialised/memory_view.hpp"
#include "emulator/observe/operation/lds_footprint.hpp"

#include <map>

namespace fmha950::observe {

struct LoadedBytes { // that nobody wrote: offsets in LDS, or addresses of device memory
  uint64_t begin = 0, end = 0;
  bool in_lds = false;
};

class MemoryFlow {
 public:
  explicit MemoryFlow(const DeviceInitialised& device) : memory_(device) {}
  void start(const machine::Workgroup& workgroup);
  void operation(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info);
  // What this load's last execution by the wave found invalid in a lane; -1: in the first that there is.
  LoadedBytes loaded(int wave, uint64_t instruction, int lane) const;

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
  void remember(const MemoryEvent& event, int lane, uint64_t begin, uint64_t invalid);
  static LaneBytes in_data(const RegisterValidity& registers, const MemoryEvent& event,
                           const InitialisedInfo& info);
  static LaneBytes spread(const LaneBytes& bytes); // every byte of a lane invalid if one is
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
  template <class Visit> void for_each_piece(const MemoryEvent& event, Visit visit);
  const LdsFootprint& footprint(const MemoryEvent& event); // until the next event

  LdsValidity lds_;
  LdsFootprints footprints_;
  MemoryView memory_;
  using LanesLoaded = std::map<int, LoadedBytes>;
  std::map<std::pair<int, uint64_t>, LanesLoaded> loaded_; // by wave and instruction
};

// Lanes that exchange data without touching memory: ds_bpermute, ds_permute, ds_swizzle.
void flow_exchange(RegisterValidity& registers, const MemoryEvent& event);

// Rearranges what the lanes of a transposing LDS read fetched (machine_gfx950.md section 3.1): `bytes` bytes
// of each lane, elements of `element_bits` bits. Bit i of a lane: its byte i is invalid.
void transpose_validity(uint32_t (&lanes)[64], uint32_t bytes, int element_bits);

} // namespace fmha950::observe
