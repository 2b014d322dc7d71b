#pragma once
// What a wave's registers hold when its kernel starts (machine_gfx950.md section 5.2).

#include "emulator/machine/listener.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/memory/huge_pages.hpp"
#include "emulator/program/program.hpp"

#include <cstddef>
#include <vector>

namespace fmha950::machine {

// Registers and LDS start with whatever ran before. A quiet NaN that shows in any float result stands for it.
constexpr uint32_t stale_register = 0x7FC0DEAD;
constexpr uint8_t stale_lds = 0xFF;

// Per host thread: register files, LDS and scratch of the workgroup it runs, reused from one to the next.
class WorkgroupStorage {
 public:
  WorkgroupStorage(const Launch& launch, const isa::Instruction* entry, OldValues* old_values);
  ~WorkgroupStorage();
  WorkgroupStorage(const WorkgroupStorage&) = delete;
  Workgroup& start(uint64_t linear_id); // waves at the kernel's entry

 private:
  uint32_t* vgprs() const { return static_cast<uint32_t*>(vgprs_.get()); }
  void start_wave(Wave& wave);
  void set_scalars(Wave& wave) const;
  void set_work_item_ids(Wave& wave) const;

  const Launch& launch_;
  const isa::Instruction* entry_;
  Workgroup workgroup_;
  std::unique_ptr<WorkgroupListener> listener_;
  HostMemory vgprs_, lds_;
  size_t vgpr_words_ = 0;
  uint64_t scratch_per_wave_ = 0;
};

uint32_t lds_allocation(const Launch& launch); // static + dynamic LDS of a workgroup, bytes

} // namespace fmha950::machine
