// Loops that are unrolled beyond the instruction cache lose little on hardware: fetch runs ahead
// (clock_and_calibration.md, point 6). The same work in a loop of 4 KiB is what they are held against.
#include "calibration/micro.hpp"
#include "harness/perf/modelled_launch.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::calibration;

namespace {

// Of a step, once the loop runs.
double clocks_of_step(const char* kernel, const std::string& assumed) {
  constexpr uint32_t few = 1, many = 4;
  const Micro micro(kernel);
  const harness::TimingInForce timing("samples" + assumed);
  const auto clocks = [&](uint32_t iterations) {
    micro.launch(iterations, nullptr);
    return harness::timing_of_launch().at("runs").at(0).at("clocks").get<double>();
  };
  return (clocks(many) - clocks(few)) / ((many - few) * micro.kernel().steps);
}

double loss(const char* kernel, const std::string& assumed = "") {
  return clocks_of_step(kernel, assumed) / clocks_of_step("micro_code_4", assumed) - 1;
}

} // namespace

TEST_CASE("micro: unrolled loops of 59 and 91 KiB lose at most 3 and 6 %, with fetch that runs ahead") {
  CHECK(loss("micro_code_59") <= 0.03);
  CHECK(loss("micro_code_91") <= 0.06);
  CHECK(loss("micro_code_59", ",demand_fetch") <= 0.03); // the cache holds it
  CHECK(loss("micro_code_91", ",demand_fetch") > 0.06);
}
