#pragma once
// The constants of the clock's law (clock_law.hpp), fitted to what was measured of launches whose shares the model knows.

#include "harness/perf/clock_law.hpp"
#include "harness/perf/measured_launch.hpp"

namespace fmha950::harness {

// One constant of the law and what it stands for.
struct ClockTerm {
  const char* name;
  double ClockLaw::* constant;
  double BusyShares::* share; // null: of every clock
};
inline constexpr ClockTerm idle_term{"idle", &ClockLaw::idle, nullptr},
    bf16_term{"matrix bf16", &ClockLaw::matrix_bf16, &BusyShares::matrix_bf16},
    fp8_term{"matrix fp8", &ClockLaw::matrix_fp8, &BusyShares::matrix_fp8},
    f8f6f4_term{"matrix f8f6f4", &ClockLaw::matrix_f8f6f4, &BusyShares::matrix_f8f6f4},
    valu_term{"VALU", &ClockLaw::valu, &BusyShares::valu}, lds_term{"LDS", &ClockLaw::lds, &BusyShares::lds},
    mall_term{"bytes beyond L2", &ClockLaw::mall, &BusyShares::mall};

// `law` with the constants of `terms` fitted, the others as they are: least squares of the relative errors of energy,
// none negative. A launch that the law has at the highest clock is held there: what it does says nothing of the constants.
ClockLaw fitted(ClockLaw law, const std::vector<ClockTerm>& terms,
                const std::vector<MeasuredLaunch>& launches);

// Of the law's throughput: 0.1 is 10 % too fast.
double error_of(const ClockLaw& law, const MeasuredLaunch& launch);

} // namespace fmha950::harness
