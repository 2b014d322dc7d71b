#include "emulator/timing/model/instruction_fetch.hpp"

#include <cmath>

namespace fmha950::timing {

InstructionFetch::InstructionFetch(const std::vector<Op>& ops, ChipletMemory& chiplet, MemoryTraffic& traffic)
    : chiplet_(chiplet), traffic_(traffic) {
  if (chiplet.mall.has_code())
    for (const Op& op : ops) cache_.touch(op.address / instruction_line_bytes);
}

uint64_t InstructionFetch::fetch(uint64_t block, uint64_t clock) {
  const double asked = port_.serve(static_cast<double>(clock), 1);
  const uint64_t address = block * instruction_fetch_bytes;
  if (cache_.touch(address / instruction_line_bytes)) return static_cast<uint64_t>(std::ceil(asked));
  return static_cast<uint64_t>(
      std::ceil(chiplet_.fetch(address / line_bytes, instruction_line_bytes, asked, traffic_)));
}

uint64_t InstructionFetch::available(Buffer& buffer, const Op& op, uint64_t clock) {
  const uint64_t block = op.address / instruction_fetch_bytes;
  const uint64_t last = (op.address + op.bytes - 1) / instruction_fetch_bytes;
  if (block < buffer.first_ || block > buffer.end_) buffer.end_ = block;
  buffer.first_ = block;
  for (; buffer.end_ < block + instruction_buffer_blocks; ++buffer.end_)
    buffer.there_[buffer.end_ % instruction_buffer_blocks] = fetch(buffer.end_, clock);
  return buffer.there_[last % instruction_buffer_blocks];
}

} // namespace fmha950::timing
