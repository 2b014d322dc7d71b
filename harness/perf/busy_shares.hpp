#pragma once
// How busy the units of the whole GPU are while a launch runs, CUs that have no work included: what its
// clock depends on (clock_law.hpp).

#include "harness/perf/modelled.hpp"

#include <array>

namespace fmha950::harness {

struct BusyShares {
  double matrix_bf16 = 0, matrix_fp8 = 0,
         matrix_f8f6f4 = 0; // emulator/rates/instruction_use.hpp: MatrixFormat
  double valu = 0, lds = 0;
  double l2 = 0, mall = 0, hbm = 0; // bytes that each level serves, in a clock
};

// Their names in files.
struct NamedShare {
  const char* name;
  double BusyShares::* share;
  bool bytes = false; // in a clock; else a part of it
};
inline constexpr std::array<NamedShare, 8> named_shares = {{{"matrix_bf16", &BusyShares::matrix_bf16},
                                                            {"matrix_fp8", &BusyShares::matrix_fp8},
                                                            {"matrix_f8f6f4", &BusyShares::matrix_f8f6f4},
                                                            {"valu", &BusyShares::valu},
                                                            {"lds", &BusyShares::lds},
                                                            {"l2_bytes", &BusyShares::l2, true},
                                                            {"mall_bytes", &BusyShares::mall, true},
                                                            {"hbm_bytes", &BusyShares::hbm, true}}};

BusyShares busy_shares_of(const ModelledLaunch& launch);

} // namespace fmha950::harness
