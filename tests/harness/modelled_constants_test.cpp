// analysis/modelled.py repeats constants of the cycle model for its ceilings, and ratios.py the laboratories'
// spread: they are the program's.
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "harness/perf/reference_speeds.hpp"
#include "python.hpp"
#include "tests/support/source_path.hpp"

#include <vector>

using namespace fmha950;

TEST_CASE("analysis: peaks, bandwidths and laboratory spread are those of the program") {
  const Finished ran =
      python("-c 'import sys; sys.path.insert(0, \"" + source_path("analysis") +
             "\"); import modelled as m, ratios; "
             "print(m.NOMINAL_HERTZ, m.COMPUTE_UNITS, *m.MATRIX_PEAKS.values(), "
             "*[bandwidth for bandwidth, _ in m.BANDWIDTHS.values()], ratios.LABORATORY_SPREAD)'");
  REQUIRE(ran.status == 0);
  std::istringstream words(ran.output);
  std::vector<double> found;
  for (double value; words >> value;) found.push_back(value);
  Problem fp8;
  fp8.query_type = fp8.kv_type = ElementType::fp8;
  using namespace timing;
  constexpr double tera_clocks = nominal_hertz / 1e12;
  const std::vector<double> expected = {
      nominal_hertz,
      chiplets * cus_per_chiplet,
      harness::matrix_flops_per_clock(fp8) * tera_clocks,
      harness::matrix_flops_per_clock(Problem{}) * tera_clocks,
      l1_bytes_per_clock * chiplets * cus_per_chiplet * tera_clocks,
      l2_channel_count * l2_channel_bytes_per_clock * chiplets * tera_clocks,
      mall_bytes_per_clock * tera_clocks,
      hbm_bytes_per_clock * tera_clocks,
      harness::laboratory_spread,
  };
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]));
}
