#pragma once
// LDS accesses past what the workgroup has: the kernel's static and the launch's dynamic LDS (DESIGN.md section 5
// item 5). The hardware allocates blocks of 1280 bytes; beyond those, loads give 0, stores are dropped, and lanes of
// LDS DMA are masked off (machine_gfx950.md section 3). Between the two ends a kernel works with bytes that it never
// asked for.

#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/observe/report/hazard.hpp"

namespace fmha950::machine {
struct Workgroup;
}

namespace fmha950::observe {

class LdsBounds {
 public:
  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, HazardSink& sink) const;

 private:
  bool are_in_bounds(const MemoryEvent& event) const;
  uint32_t bytes_ = 0, dynamic_ = 0;
};

} // namespace fmha950::observe
