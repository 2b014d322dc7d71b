// Which V descales of pages are too far apart, or too small, for outputs in their units.
#include "attention/host/value_descales.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Catch::Contains;

namespace {

// With the descales of one head of two pages that the request names.
std::string refusal(float first, float second) {
  const Problem problem = parse_case("batch_prefill/h=2:2/sq=1/sk=200/q=fp8/kv=fp8/quant=page/page=64");
  Tensors tensors = workload::make_tensors(problem);
  const auto pages = touched_pages(problem, tensors);
  const auto descales = tensors.v_descale.as<float>();
  for (const int32_t page : pages) descales[2 * page] = descales[2 * page + 1] = first;
  descales[2 * pages.back() + 1] = second;
  try {
    attention::check_value_descales(problem, tensors, "name");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("V descales of pages up to a factor of 2^100 apart are taken, in either order") {
  CHECK(refusal(0x1p-40f, 0x1p60f) == "");
  CHECK(refusal(0x1p60f, 0x1p-40f) == "");
  CHECK_THAT(refusal(0x1p-41f, 0x1p60f),
             Contains("v_descale") && Contains("name takes descales of pages up to a factor of 2^100 apart"));
  CHECK_THAT(refusal(0x1p60f, 0x1p-41f), Contains("v_descale"));
}

TEST_CASE("subnormal V descales are refused") {
  CHECK(refusal(0x1p-126f, 0x1p-120f) == "");
  CHECK_THAT(refusal(0x1p-127f, 0x1p-120f), Contains("v_descale") && Contains("name takes no subnormal"));
}
