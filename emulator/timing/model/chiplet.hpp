#pragma once
// Several CUs of one chiplet together, clock by clock.

#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <vector>

namespace fmha950::timing {

using CuWork = std::vector<const WorkgroupRecord*>; // in dispatch order

// The CUs stand for `busy_cus` of their chiplet, which ask for lines of their own. `at_once` workgroups are
// resident on a CU.
Simulation simulate(const KernelRecord& kernel, const Mall& mall, const std::vector<CuWork>& cus,
                    int busy_cus, int at_once, const Assumptions& assumptions, bool timeline = false);

} // namespace fmha950::timing
