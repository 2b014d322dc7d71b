#include "emulator/observe/report/clamp_counts.hpp"

#include "emulator/loader/code_object.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

void ClampTotals::add(const loader::Kernel& kernel, const isa::Instruction& in, uint64_t lanes) {
  const std::lock_guard lock(mutex_);
  Total& total = totals_[{kernel.name, in.address - kernel.entry}];
  if (total.lanes == 0) {
    total.instruction = isa::disassemble(in);
    total.source = kernel.object->source_line(in.address);
  }
  total.lanes += lanes;
}

void ClampTotals::clear() {
  const std::lock_guard lock(mutex_);
  totals_.clear();
}

std::string ClampTotals::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [key, total] : totals_)
    text += fmt::format("{} +{:#x} {} {}: {} lanes clamped\n", key.kernel, key.offset, total.source,
                        total.instruction, total.lanes);
  return text;
}

ClampCounts::~ClampCounts() {
  for (const auto& [in, lanes] : lanes_) totals_.add(kernel_, *in, lanes);
}

void ClampCounts::memory(const MemoryEvent& event) {
  const machine::Access& access = event.access;
  const uint64_t dropped = access.dropped[0] | access.dropped[1] | access.dropped[2] | access.dropped[3];
  const uint64_t clamped = access.lanes & dropped;
  if (event.queue == machine::Queue::vm && clamped)
    lanes_[access.instruction] += static_cast<uint64_t>(__builtin_popcountll(clamped));
}

} // namespace fmha950::observe
