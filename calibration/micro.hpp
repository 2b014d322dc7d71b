#pragma once
// Launches the micro-kernels of micro.hip and rates.hip.

#include "calibration/micro_arguments.hpp"
#include "interface/hip.hpp"

#include <span>

namespace fmha950::calibration {

// What a micro-kernel's table holds.
enum class MicroTable : uint8_t {
  none,
  chase,         // byte offsets into the table itself, one for each of its words; at least a word per lane
  lds_chase,     // byte offsets into LDS, one for each of its 4096 words: LDS' content
  lds_content,   // LDS' 4096 words
  lds_addresses, // of each lane, then LDS' content
};

struct MicroKernel {
  std::string_view name; // in the code object calibration_micro, or, of rate_*, calibration_rates
  MicroTable table;
  int steps;                 // of an iteration
  size_t output_words;       // micro.hip says which
  uint32_t access_bytes = 0; // of a lane, for kernels with lds_addresses
  int waves = 1;
  int sharing = 1; // waves on one of the unit whose rate it is about; 1 also where they take a step together
};
std::span<const MicroKernel> micro_kernels();
const MicroKernel& micro_kernel(std::string_view name); // throws InvalidInput naming those that exist

class Micro {
 public:
  // Throws InvalidInput as micro_kernel(), or naming the first word of the table that is wrong.
  explicit Micro(std::string_view kernel, const std::vector<uint32_t>& table = {});

  const MicroKernel& kernel() const { return kernel_; }
  void launch(uint32_t iterations, hip::Stream stream) const; // throws InvalidInput for 0
  std::vector<uint32_t> output() const;
  // Of the last launch, of each wave.
  std::vector<LoopStamp> stamps() const;

 private:
  const MicroKernel& kernel_;
  hip::Kernel function_;
  hip::Buffer table_, output_, stamps_;
};

// A chase through `words` words that comes to all of them before it is back: every `stride`-th, which has no
// divisor in common with `words`.
std::vector<uint32_t> chase_table(uint32_t words, uint32_t stride);

} // namespace fmha950::calibration
