#include "harness/perf/energy_stack.hpp"

#include "harness/perf/clock_law.hpp"

namespace fmha950::harness {

Named energy_stack_of(const Modelled& modelled) {
  Named stack{{"idle", 0}, {"matrix_bf16", 0}, {"matrix_fp8", 0}, {"matrix_f8f6f4", 0},
              {"valu", 0}, {"lds", 0},         {"bytes", 0},      {"highest_clock", 0}};
  for (const ModelledLaunch& launch : modelled.launches) {
    const BusyShares shares = busy_shares_of(launch);
    const double parts[] = {clock_law.idle,
                            clock_law.matrix_bf16 * shares.matrix_bf16,
                            clock_law.matrix_fp8 * shares.matrix_fp8,
                            clock_law.matrix_f8f6f4 * shares.matrix_f8f6f4,
                            clock_law.valu * shares.valu,
                            clock_law.lds * shares.lds,
                            clock_law.mall * shares.mall,
                            clock_law.nanoseconds(shares) - clock_law.energy(shares)};
    for (size_t i = 0; i < stack.size(); ++i)
      stack[i].second += parts[i] * launch.clocks / modelled.clocks() * modelled.clocks_per_tile();
  }
  return stack;
}

} // namespace fmha950::harness
