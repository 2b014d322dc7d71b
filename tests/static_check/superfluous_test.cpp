// Waits and s_nops that nothing needs: what is listed, what is not, and the counts of a loop.
#include "emulator/static_check/hazards.hpp"
#include "emulator/static_check/report.hpp"
#include "emulator/static_check/superfluous.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>
#include <sstream>

using namespace fmha950;

namespace {

const loader::CodeObject& kernels() {
  static const auto object = test::load_code_object("static_check_kernels");
  return *object;
}

// "vmcnt(0) -> vmcnt(1)", "s_nop 3 ->"
std::vector<std::string> superfluous_in(const std::string& kernel) {
  std::vector<std::string> all;
  for (const auto& each : static_check::find_superfluous(static_check::Code(*kernels().find_kernel(kernel))))
    all.push_back(each.what + " ->" + (each.enough.empty() ? "" : " " + each.enough));
  return all;
}
using All = std::vector<std::string>;

} // namespace

TEST_CASE("superfluous: waits that wait for nothing, or for what a later wait covers, and states too many") {
  CHECK(superfluous_in("superfluous_loop") == All{"vmcnt(1) ->", "vmcnt(1) ->", "s_nop 7 -> s_nop 3"});
  CHECK(superfluous_in("looser") == All{"vmcnt(0) -> vmcnt(1)"});
  CHECK(superfluous_in("no_flag") == All{"lgkmcnt(0) ->"});
  CHECK(superfluous_in("read_by_nobody") == All{"lgkmcnt(0) ->", "lgkmcnt(0) ->"});
  CHECK(superfluous_in("in_order_before_dma") == All{"vmcnt(0) ->", "vmcnt(0) -> vmcnt(1)"});
}

TEST_CASE("superfluous: nothing that registers, a barrier, another wave or LDS may need") {
  for (const char* kernel :
       {"straight_clean", "merge_clean", "two_buffers_clean", "scalar_clean", "flat_clean", "back_edge_clean",
        "needed_by_barrier", "needed_by_store", "needed_by_dma", "needed_by_flag", "needed_before_dma"}) {
    CAPTURE(kernel);
    CHECK(superfluous_in(kernel).empty());
  }
  CHECK(superfluous_in("call_unknown").empty());
  CHECK(superfluous_in("needed_by_reader") == All{"lgkmcnt(0) ->", "lgkmcnt(0) ->"}); // those before the use
  // Of two that could each go alone one may go: what is listed may be changed together.
  CHECK(superfluous_in("needed_once") == All{"s_nop 7 ->"});
}

TEST_CASE("superfluous: the report counts them by loop, and closes with the sum") {
  const auto report = static_check::report(kernels(), "superfluous_loop", static_check::Form::text);
  CHECK_THAT(report.text, Catch::Contains("kernel superfluous_loop\n"));
  CHECK_THAT(report.text, Catch::Contains("superfluous 2 of 3 waits, 1 of 2 s_nops\n"));
  CHECK_THAT(report.text, Catch::Contains("of depth 1, tests/static_check/kernels.hip:"));
  CHECK_THAT(report.text, Catch::EndsWith("0 errors, 0 warnings, 0 unknown\n"));
  const auto faulty = static_check::report(kernels(), "straight_faulty", static_check::Form::text);
  CHECK(faulty.errors == 1);
  CHECK_THAT(faulty.text, Catch::EndsWith("1 error, 0 warnings, 0 unknown\n"));
  CHECK_THROWS_WITH(static_check::report(kernels(), "no_such", static_check::Form::text),
                    Catch::Contains("has no kernel no_such"));
}

TEST_CASE("static check: functions are judged by themselves, and their return is no unknown jump") {
  const auto object = static_check::report(kernels(), "", static_check::Form::text);
  const size_t begin = object.text.find("function function_faulty\n");
  REQUIRE(begin != std::string::npos);
  CHECK(object.text.find("v4 is read while global_load_dword into v4 is in flight", begin) !=
        std::string::npos);
  CHECK(object.text.find("unknown jump", begin) == std::string::npos);
  CHECK(static_check::report(kernels(), "calls_function", static_check::Form::text).unknown == 1);
}

TEST_CASE("superfluous: lines of JSON say the same") {
  std::istringstream lines(
      static_check::report(kernels(), "superfluous_loop", static_check::Form::json).text);
  std::map<std::string, int> seen;
  for (std::string line; std::getline(lines, line);) {
    const auto value = nlohmann::json::parse(line);
    CHECK(value["schema"] == 1);
    ++seen[value["severity"]];
    if (value["severity"] == "superfluous") {
      CHECK(value["loop"]["depth"] == 1);
      CHECK_THAT(value["later"]["source"].get<std::string>(), Catch::Contains("kernels.hip:"));
    }
    if (value["severity"] == "sum") {
      CHECK(value["errors"] == 0);
      CHECK(value["unknown"] == 0);
    }
  }
  CHECK(seen == std::map<std::string, int>{{"superfluous", 3}, {"loop", 2}, {"sum", 1}});
}
