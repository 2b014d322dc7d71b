#pragma once
// Several CUs of one chiplet together, clock by clock.

#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <vector>

namespace fmha950::timing {

using CuWork = std::vector<const WorkgroupRecord*>; // in dispatch order

// Each of the CUs stands for as many others as make up a chiplet, whose lines are their own. `at_once`
// workgroups are resident on a CU.
Simulation simulate(const KernelRecord& kernel, const std::vector<CuWork>& cus, int at_once,
                    const Assumptions& assumptions, bool timeline = false);

} // namespace fmha950::timing
