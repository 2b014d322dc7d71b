// Pages of 64 keys and more with descales of their own: what a tile's descale of V does to the weights, however far the next
// tile's is from it.
#include "harness/accuracy/accuracy_case.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

namespace {

// log2 of the descales of a request's pages, one after the other.
constexpr int exponents[] = {0, -60, 40, -40, -3, 3, 20, -20, 0};

float& descale_of(const Problem& problem, Tensors& tensors, int page, int head) {
  const auto id = static_cast<size_t>(page_of(problem, tensors, 0, page * 64));
  return tensors.v_descale
      .as<float>()[id * static_cast<size_t>(problem.kv_heads) + static_cast<size_t>(head)];
}

Tensors tensors_of(const Problem& problem, bool turned) {
  Tensors tensors = workload::make_tensors(problem);
  for (int page = 0; page < 9; ++page)
    for (int head = 0; head < problem.kv_heads; ++head) {
      float& descale = descale_of(problem, tensors, page, head);
      descale = std::ldexp(descale, exponents[turned ? 8 - page : page] / (head + 1));
    }
  return tensors;
}

// The same, but for page `page` of the request, whose descale of V is `factor` times what it is.
Tensors with_descale(const Problem& problem, const Tensors& tensors, int page, float factor) {
  Tensors other = tensors;
  other.v_descale = Tensor(ElementType::fp32, tensors.v_descale.shape());
  std::copy_n(tensors.v_descale.data(), tensors.v_descale.bytes(), other.v_descale.data());
  for (int head = 0; head < problem.kv_heads; ++head) descale_of(problem, other, page, head) *= factor;
  return other;
}

// baseline on `given`, by what is right for `judged_by`.
OutcomeKind judged(const Problem& problem, const Tensors& given, const Tensors& judged_by) {
  harness::CaseOracle oracle(problem, judged_by);
  harness::Record record;
  harness::judge_case(find_implementation("baseline"), problem, given, {}, oracle, record);
  return record.outcome.kind();
}

} // namespace

TEST_CASE("the weights follow descales of V that are 2^100 apart from page to page, up and down") {
  const std::string form =
      GENERATE(as<std::string>(), "d=128/q=fp8/kv=fp8", "d=64/q=fp8/kv=fp8", "d=256/q=fp8/kv=fp8",
               "d=128/q=fp8/kv=fp8/layout=vectorized", "d=128/kv=fp8", "d=192:128/q=fp8/kv=fp8");
  const bool turned = GENERATE(false, true);
  const Problem problem =
      parse_case("batch_prefill/h=8:2/sq=40/sk=517/" + form + "/quant=page/page=64/causal=1/lse=1");
  CAPTURE(form, turned);
  const Tensors tensors = tensors_of(problem, turned);
  CHECK(judged(problem, tensors, tensors) == OutcomeKind::passed);
  // The page that outweighs the others, 2^40 or 2^20, by an eighth.
  const Tensors mistaken = with_descale(problem, tensors, turned ? 6 : 2, 1.125f);
  CHECK(judged(problem, mistaken, tensors) == OutcomeKind::inaccurate);
}
