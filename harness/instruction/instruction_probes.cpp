#include "harness/instruction/instruction_probe.hpp"

#include <algorithm>
#include <iterator>

namespace fmha950::instruction {

std::vector<InstructionProbe> all_instruction_probes() {
  std::vector<InstructionProbe> all;
  for (const auto family : {mfma_tiles, scale_operands, lds_dma_widths})
    std::ranges::move(family(), std::back_inserter(all));
  return all;
}

} // namespace fmha950::instruction
