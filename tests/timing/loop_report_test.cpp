// What `device --loops` prints.
#include "tests/timing/code_object_loops.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Catch::Contains;

namespace {

// The report's lines about one kernel or function.
std::string section(const std::string& report, const std::string& title) {
  const size_t begin = report.find(title);
  REQUIRE(begin != std::string::npos);
  size_t end = report.find('\n', begin);
  while (end != std::string::npos && report.compare(end + 1, 2, "  ") == 0) end = report.find('\n', end + 1);
  return report.substr(begin, end - begin);
}

const std::string& report() {
  static const std::string text =
      timing::loop_report(loader::CodeObject(test::read_code_object("timing_loops")), 1);
  return text;
}

} // namespace

TEST_CASE("loop report: figures and the binding unit") {
  const std::string text = section(report(), "kernel every_kind");
  CHECK_THAT(text, Contains("matrix        544 clocks  136 passes: "));
  CHECK_THAT(text, Contains("2 v_mfma_f32_32x32x64_f8f6f4 fp8 x fp8 of 16 passes"));
  CHECK_THAT(text, Contains("9 plain, 5 packed, 5 transcendental, 4 conversion"));
  CHECK_THAT(text, Contains("4 LDS DMA loads of 4096 B"));
  CHECK_THAT(text, Contains("vmcnt(3), 2 x lgkmcnt(0), vmcnt(1) lgkmcnt(2)"));
  CHECK_THAT(text, Contains("binding: matrix, 544 clocks modelled"));
  CHECK_THAT(report(), Catch::StartsWith("modelled: "));
}

TEST_CASE("loop report: kernels without loops, cycles, nesting and arms are said") {
  CHECK_THAT(section(report(), "kernel straight"), Contains("no loops"));
  CHECK_THAT(section(report(), "kernel two_entries"), Contains("1 cycle with several entries: not shown"));
  CHECK_THAT(section(report(), "kernel nested"), Contains("loop 2, depth 2"));
  CHECK_THAT(section(report(), "kernel nested"), Contains("the loops inside are not in the figures"));
  CHECK_THAT(section(report(), "kernel branching"), Contains("6 (4 conditional) plain"));
}

TEST_CASE("loop report: source lines of a loop, loops of functions, calls") {
  const std::string calling = section(report(), "kernel calling");
  CHECK_THAT(calling, Contains("calling.hip:1000-1001"));
  CHECK_THAT(calling, Contains("1 calls, whose functions are not counted"));
  const std::string summing = section(report(), "function ");
  CHECK_THAT(summing, Contains("sum_of"));
  CHECK_THAT(summing, Contains("summing.hip:500-501"));
}

TEST_CASE("loop report: a code object without kernels is refused") {
  CHECK_THROWS_WITH(timing::loop_report(loader::CodeObject(test::read_code_object("timing_no_kernels")), 1),
                    Contains("no kernels"));
}
