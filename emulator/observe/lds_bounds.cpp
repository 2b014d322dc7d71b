#include "emulator/observe/lds_bounds.hpp"

#include "emulator/isa/mnemonic.hpp"
#include "emulator/observe/report/party.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

using machine::Queue;

void LdsBounds::start(const machine::Workgroup& workgroup) {
  bytes_ = workgroup.lds_bytes;
  dynamic_ = workgroup.launch ? workgroup.launch->dynamic_lds : 0;
}

// All addresses together, bit by bit, are no lower than the highest, and mostly low enough.
bool LdsBounds::are_in_bounds(const MemoryEvent& event) const {
  const machine::Access& access = event.access;
  const MemoryOperation& op = event.operation;
  if (!access.lanes) return true;
  if (event.queue == Queue::vm)
    return uint64_t{access.lds_base} +
               static_cast<uint64_t>(63 - __builtin_clzll(access.lanes)) * op.lds_slot +
               (op.lds_slot == 4 ? 4 : op.bytes) <=
           bytes_;
  if (op.single) return uint64_t{access.lds_address[0]} + op.bytes <= bytes_;
  const auto offset = static_cast<uint32_t>(op.ignores_offset ? 0 : access.instruction->offset);
  uint32_t all = 0;
  for (const uint32_t address : access.lds_address) all |= address;
  const auto fit = [&](uint32_t offset_bytes) {
    if (uint64_t{all} + offset_bytes + op.bytes <= bytes_) return true;
    uint32_t highest = 0;
    for (uint32_t l = 0; l < 64; ++l) {
      const uint32_t address = access.lds_address[l] + offset_bytes;
      highest = std::max(highest, access.lanes >> l & 1 ? address : 0);
    }
    return uint64_t{highest} + op.bytes <= bytes_;
  };
  if (op.elements == 1) return fit(offset);
  return fit((offset & 0xFF) * op.element_stride) && fit((offset >> 8 & 0xFF) * op.element_stride);
}

void LdsBounds::memory(const MemoryEvent& event, HazardSink& sink) const {
  const bool dma = event.queue == Queue::vm && event.operation.lds_dma;
  if (!dma && (event.queue != Queue::ds || !event.operation.is_memory())) return;
  if (are_in_bounds(event)) [[likely]]
    return;
  bool reported = false;
  const auto look = [&](int lane, uint32_t begin, uint32_t count) {
    if (reported || uint64_t{begin} + count <= bytes_) return;
    reported = true;
    Hazard hazard;
    hazard.type = HazardClass::out_of_bounds;
    hazard.kernel = kernel_of(event.wave);
    hazard.later = party_of(event.wave, *event.access.instruction, lane);
    hazard.begin = begin;
    hazard.end = uint64_t{begin} + count;
    hazard.what =
        fmt::format("{} of {} bytes at LDS byte {:#x} by lane {} is past the workgroup's {} bytes of LDS ({} "
                    "static, {} dynamic)",
                    dma || event.operation.kind != MemoryOperation::Kind::load ? "write" : "read", count,
                    begin, lane, bytes_, bytes_ - dynamic_, dynamic_);
    sink.report(std::move(hazard));
  };
  constexpr uint32_t everywhere = ~0u;
  if (dma)
    for_each_lds_dma_range(event.operation, event.access, everywhere, look);
  else
    for_each_range(event.operation, event.access, event.queue, everywhere, look);
}

} // namespace fmha950::observe
