// What LdsOrder finds and how it says so.
#include "emulator/observe/order/lds_order.hpp"

#include "emulator/machine/workgroup.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

// One hazard per earlier operation, with the bytes that follow each other.
void LdsOrder::found(const Earlier& earlier, Epoch epoch, uint32_t cell, int lane) {
  for (Found& other : found_)
    if (other.earlier.use == earlier.use && other.earlier.by == earlier.by &&
        other.earlier.equal == earlier.equal) {
      if (other.end == cell) ++other.end;
      return;
    }
  found_.push_back({earlier, lane_of(epoch), lane, cell, cell + 1});
}

void LdsOrder::report(const Current& now, const Found& found) {
  Hazard hazard;
  hazard.type = HazardClass::lds_order;
  hazard.kernel = kernel_;
  hazard.earlier = {found.earlier.instruction->address, workgroup_, found.earlier.by.wave,
                    found.earlier_lane};
  hazard.later = {now.event.access.instruction->address, workgroup_, now.event.wave.index, found.lane};
  const Operation& by = found.earlier.by;
  if (by.wave != now.event.wave.index)
    hazard.ahead = static_cast<int64_t>(now.completion.of(by.queue).issued) - by.clock;
  hazard.begin = found.begin << cell_shift_;
  hazard.end = found.end << cell_shift_;
  const isa::Instruction* later = now.event.access.instruction;
  if (found.earlier.equal) {
    hazard.severity = Severity::note;
    hazard.what = equal_text("LDS", found.earlier.instruction, later);
  } else {
    hazard.what = conflict_text("LDS", found.earlier.instruction, found.earlier.use, later, now.use);
  }
  hazard.missing =
      clocks_.missing(now.event.wave.index, now.completion, found.earlier.by, found.earlier.instruction);
  sink_.report(std::move(hazard));
}

void LdsOrder::report_unchecked(const MemoryEvent& event) {
  if (unchecked_) return;
  unchecked_ = true;
  Hazard hazard;
  hazard.type = HazardClass::lds_order;
  hazard.severity = Severity::note;
  hazard.kernel = kernel_;
  hazard.later = {event.access.instruction->address, workgroup_, event.wave.index, -1};
  hazard.what =
      fmt::format("LDS operations of this workgroup are not checked from here on: it has made more than {}",
                  last_epoch_number / 2);
  sink_.report(std::move(hazard));
}

} // namespace fmha950::observe
