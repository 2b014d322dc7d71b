#include "emulator/observe/operation/lds_footprint.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::observe {

using machine::Queue;

void LdsFootprints::start(uint32_t lds_bytes) {
  if (lds_bytes != lds_bytes_) clear();
  lds_bytes_ = lds_bytes;
}

void LdsFootprints::clear() {
  std::ranges::fill(table_, nullptr);
  used_ = 0;
}

LdsFootprints::Key LdsFootprints::key_of(const MemoryEvent& event) {
  const MemoryOperation& op = event.operation;
  const bool dma = event.queue == Queue::vm;
  const uint64_t operation = op.bytes | uint64_t{op.elements} << 8 | uint64_t{op.element_stride} << 16 |
                             uint64_t{op.lds_slot} << 32 | uint64_t{op.single} << 40 |
                             uint64_t{op.ignores_offset} << 41 | uint64_t{dma} << 42;
  return {event.access.lanes, operation,
          dma ? event.access.lds_base : static_cast<uint32_t>(event.access.instruction->offset)};
}

size_t LdsFootprints::addresses_of(const MemoryEvent& event) {
  return event.queue == Queue::vm ? 0 : event.operation.single ? 1 : 64;
}

const LdsFootprint& LdsFootprints::find(const MemoryEvent& event) {
  const Key key = key_of(event);
  const size_t addresses = addresses_of(event);
  const uint32_t* from = event.access.lds_address;
  const auto is_it = [&](const Entry& entry) {
    return entry.key == key && std::memcmp(entry.addresses, from, addresses * sizeof *from) == 0;
  };
  const uint64_t mixed =
      (key.offset + (addresses ? uint64_t{from[0]} << 16 : 0) + (key.operation << 36) + key.lanes) *
      0x9E3779B97F4A7C15ull;
  size_t slot = mixed >> 52;
  static_assert(slots == 1 << 12);
  for (; table_[slot]; slot = (slot + 1) % slots)
    if (is_it(*table_[slot])) return table_[slot]->footprint;
  if (used_ == entries_.size()) entries_.push_back(std::make_unique<Entry>());
  Entry& entry = *(table_[slot] = entries_[used_++].get());
  entry.key = key;
  std::memcpy(entry.addresses, from, addresses * sizeof *from);
  collect(event, entry.footprint);
  return entry.footprint;
}

void LdsFootprints::collect(const MemoryEvent& event, LdsFootprint& footprint) const {
  footprint.begin = ~0u;
  footprint.end = 0;
  footprint.valid_at = 0;
  footprint.spans.clear();
  footprint.ranges.clear();
  uint32_t bits = 0;
  uint64_t seen = 0;
  const auto add = [&](int lane, uint32_t begin, uint32_t bytes) {
    const uint64_t bit = uint64_t{1} << lane;
    const bool second = seen & bit; // element: they come one after the other, each over all lanes
    seen |= bit;
    footprint.ranges.push_back({begin, static_cast<uint8_t>(bytes), static_cast<int8_t>(lane),
                                second ? event.operation.bytes : uint8_t{0}});
    if (footprint.spans.empty() || footprint.spans.back().end != begin)
      footprint.spans.push_back({begin, begin});
    footprint.spans.back().end = begin + bytes;
    footprint.begin = std::min(footprint.begin, begin);
    footprint.end = std::max(footprint.end, begin + bytes);
    bits |= begin | bytes;
  };
  if (event.queue == Queue::vm)
    for_each_lds_dma_range(event.operation, event.access, lds_bytes_, add);
  else
    for_each_range(event.operation, event.access, event.queue, lds_bytes_, add);
  footprint.in_dwords = !(bits & 3);
}

} // namespace fmha950::observe
