#include "harness/perf/busy_shares.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

double value_of(const Named& named, std::string_view name) {
  const auto found = std::ranges::find(named, name, &std::pair<std::string, double>::first);
  return found == named.end() ? 0 : found->second;
}

} // namespace

BusyShares busy_shares_of(const ModelledLaunch& launch) {
  const auto share = [&](const Named& named, std::string_view name) {
    return launch.occupied * value_of(named, name);
  };
  const auto rate = [&](std::string_view level) { return value_of(launch.bytes, level) / launch.clocks; };
  return {.matrix_bf16 = share(launch.matrix, "bf16"),
          .matrix_fp8 = share(launch.matrix, "fp8"),
          .matrix_f8f6f4 = share(launch.matrix, "f8f6f4"),
          .valu = share(launch.busy, "valu"),
          .lds = share(launch.busy, "lds"),
          .l2 = rate("l2"),
          .mall = rate("mall"),
          .hbm = rate("hbm")};
}

} // namespace fmha950::harness
