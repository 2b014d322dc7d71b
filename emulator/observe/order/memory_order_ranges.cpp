// Which bytes of device memory an event touches, block by block.
#include "emulator/observe/order/memory_order.hpp"

namespace fmha950::observe {

using machine::Queue;

void MemoryOrder::collect(const Current& now) {
  const MemoryEvent& event = now.event;
  ranges_.clear();
  stores_.clear();
  const uint64_t scratch = event.queue == Queue::vm ? event.access.swizzled : 0;
  const bool joins = !now.atomic, stores = is_plain_store(now);
  const uint32_t width = event.operation.bytes;
  const auto push = [&](const Range& range) __attribute__((always_inline)) {
    if (stores) stores_.push_back(range);
    if (joins && range.bytes == width && !ranges_.empty() && range.begin % MemoryBlock::bytes) {
      Range& last = ranges_.back();
      if (last.begin + last.bytes == range.begin && last.lane + static_cast<int>(last.lanes) == range.lane &&
          last.bytes == last.lanes * width) {
        last.bytes += width;
        ++last.lanes;
        return;
      }
    }
    ranges_.push_back(range);
  };
  const auto add = [&](int lane, uint32_t offset, uint64_t begin, uint32_t bytes)
                       __attribute__((always_inline)) {
                         if (scratch && scratch >> lane & 1) [[unlikely]]
                           return;
                         const uint64_t in_block = MemoryBlock::bytes - begin % MemoryBlock::bytes;
                         if (bytes > in_block) [[unlikely]] {
                           const auto first = static_cast<uint32_t>(in_block);
                           push({begin, first, lane, 1, offset});
                           begin += first;
                           offset += first;
                           bytes -= first;
                         }
                         push({begin, bytes, lane, 1, offset});
                       };
  if (event.queue == Queue::vm) return for_each_memory_piece(event.operation, event.access, add);
  for_each_range(event.operation, event.access, event.queue, 0,
                 [&](int lane, uint64_t begin, uint32_t bytes) { add(lane, 0, begin, bytes); });
}

} // namespace fmha950::observe
