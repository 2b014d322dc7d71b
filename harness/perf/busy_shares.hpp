#pragma once
// How busy the units of the whole GPU are while a launch runs, CUs that have no work included: what its clock depends on
// (clock_law.hpp).

#include "harness/perf/modelled.hpp"

namespace fmha950::harness {

struct BusyShares {
  double matrix_bf16 = 0, matrix_fp8 = 0,
         matrix_f8f6f4 = 0; // emulator/rates/instruction_use.hpp: MatrixFormat
  double valu = 0, lds = 0;
  double l2 = 0, mall = 0, hbm = 0; // bytes that each level serves, in a clock
};

BusyShares busy_shares_of(const ModelledLaunch& launch);

} // namespace fmha950::harness
