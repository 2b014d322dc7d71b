#include "emulator/timing/model/instruction_fetch.hpp"

namespace fmha950::timing {

InstructionFetch::InstructionFetch(const std::vector<Op>& ops, ChipletMemory& chiplet, MemoryTraffic& traffic,
                                   uint64_t lines_ahead)
    : chiplet_(chiplet), traffic_(traffic), lines_ahead_(lines_ahead) {
  if (!chiplet.mall.has_code()) return;
  uint64_t first = ~uint64_t{0}, end = 0, lines = 0;
  for (const Op& op : ops) { // the launch before brought lines ahead as well
    const uint64_t line = op.address / instruction_line_bytes, last = line + lines_ahead;
    for (uint64_t next = line; next <= last; ++next) lines += !cache_.touch(next);
    first = std::min(first, line);
    end = std::max(end, last + 1);
  }
  const bool have_room = lines <= instruction_cache_bytes / instruction_line_bytes;
  if (lines != 0 && lines == end - first && have_room) stay_ = {first, lines};
}

void InstructionFetch::bring(uint64_t line, double clock, bool used) {
  const double asked = fill_.serve(clock, instruction_fill_clocks);
  arrivals_[line] = {
      chiplet_.fetch(line * instruction_line_bytes / line_bytes, instruction_line_bytes, asked, traffic_),
      used};
}

// A line that is missing is brought with those behind it; the first use of one that was brought ahead brings
// the line as far ahead of it. So the distance stays, and code that the cache holds asks for nothing.
double InstructionFetch::come_to(uint64_t line, double clock) {
  if (line - stay_.first < stay_.count) return clock;
  stay_ = {}; // this one may take the place of one of them
  if (!cache_.touch(line)) {
    bring(line, clock, true);
    for (uint64_t next = line + 1; next <= line + lines_ahead_; ++next)
      if (!cache_.touch(next)) bring(next, clock, false);
    return arrivals_[line].clock;
  }
  if (arrivals_.empty()) return clock;
  const auto found = arrivals_.find(line);
  if (found == arrivals_.end()) return clock;
  Arrival& arrival = found->second;
  const double there = std::max(clock, arrival.clock);
  const bool first_use = !arrival.used;
  arrival.used = true;
  if (there == clock) arrivals_.erase(found);
  if (const uint64_t ahead = line + lines_ahead_; first_use && !cache_.touch(ahead))
    bring(ahead, clock, false);
  return there;
}

uint64_t InstructionFetch::fetch(uint64_t block, uint64_t clock) {
  const double asked = port_.serve(in_double(clock), 1);
  return whole(come_to(block * instruction_fetch_bytes / instruction_line_bytes, asked));
}

uint64_t InstructionFetch::buffered(Buffer& buffer, const Op& op, uint64_t clock) {
  const uint64_t block = op.address / instruction_fetch_bytes;
  const uint64_t last = (op.address + op.bytes - 1) / instruction_fetch_bytes;
  if (block < buffer.first_ || block > buffer.end_) buffer.end_ = block;
  buffer.first_ = block;
  buffer.last_ = last;
  for (; buffer.end_ < block + instruction_buffer_blocks; ++buffer.end_)
    buffer.there_[buffer.end_ % instruction_buffer_blocks] = fetch(buffer.end_, clock);
  return buffer.there_[last % instruction_buffer_blocks];
}

} // namespace fmha950::timing
