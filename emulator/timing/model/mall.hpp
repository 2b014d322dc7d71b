#pragma once
// Which lines that L2 has not come from MALL, and which from HBM. Launches are repeated on the same memory, as benchmarks
// do. MALL still has what a launch touches if all of it has room there (machine_gfx950.md 6.1). Else every line comes
// from HBM once in a launch, for the first chiplet that asks; those that ask later find it in MALL. Which line it is
// does not matter, so a hash draws them. Writes stay in MALL where all has room, else they drive out as much.

#include "emulator/timing/record/wave_record.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::timing {

class Mall {
 public:
  Mall() = default; // has every line
  // `together`: the recorded workgroups share an L2, so that a line that several want is asked for once. `warm`: the launch
  // was made before. `copies`: the launch that is meant touches so many times
  // what the allocations hold.
  Mall(const KernelRecord& kernel, bool together, bool warm, uint64_t copies = 1);

  bool has(uint64_t line) const; // of line_bytes
  bool keeps_writes() const { return fits_; }
  bool has_code() const { return has_others_; } // of the launch

 private:
  struct Part {
    uint64_t first = 0, end = 0; // lines of an allocation
    uint64_t from_hbm = 0;       // of 2^32 requests
  };
  std::vector<Part> parts_; // ascending
  bool has_others_ = true;  // lines of no allocation
  bool fits_ = true;        // all that the launch touches
};

} // namespace fmha950::timing
