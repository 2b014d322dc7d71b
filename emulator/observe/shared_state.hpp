#pragma once
// What the checks of all host threads and all launches share.

#include "emulator/observe/initialised/initialised_device.hpp"
#include "emulator/observe/report/clamp_counts.hpp"
#include "emulator/observe/report/report_log.hpp"

namespace fmha950::observe {

struct SharedState {
  DeviceInitialised initialised;
  ClampTotals clamped;
  ReportLog log;
};

} // namespace fmha950::observe
