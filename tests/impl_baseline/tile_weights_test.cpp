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

Tensors tensors_of(const Problem& problem, bool turned) {
  Tensors tensors = workload::make_tensors(problem);
  const auto descales = tensors.v_descale.as<float>();
  for (int page = 0; page < 9; ++page) {
    const int id = page_of(problem, tensors, 0, page * 64);
    for (int head = 0; head < problem.kv_heads; ++head) {
      const int exponent = exponents[turned ? 8 - page : page] / (head + 1);
      float& descale = descales[static_cast<size_t>(id) * static_cast<size_t>(problem.kv_heads) +
                                static_cast<size_t>(head)];
      descale = std::ldexp(descale, exponent);
    }
  }
  return tensors;
}

// baseline, to which page `page` of the request has a descale of V that is `factor` times what it is.
class Mistaken final : public Implementation {
 public:
  Mistaken(int page, float factor) : page_(page), factor_(factor) {}
  std::string_view name() const override { return "mistaken"; }
  std::string_view description() const override { return "takes a descale for another"; }
  const std::vector<FeatureSet>& features() const override { return baseline_.features(); }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    Tensors other = host;
    other.v_descale = Tensor(ElementType::fp32, host.v_descale.shape());
    std::copy_n(host.v_descale.data(), host.v_descale.bytes(), other.v_descale.data());
    const int id = page_of(problem, host, 0, page_ * 64);
    for (int head = 0; head < problem.kv_heads; ++head)
      other.v_descale.as<float>()[static_cast<size_t>(id) * static_cast<size_t>(problem.kv_heads) +
                                  static_cast<size_t>(head)] *= factor_;
    descales_ = hip::Buffer(other.v_descale.bytes());
    descales_.upload(other.v_descale.data(), other.v_descale.bytes());
    DeviceTensors there = device;
    there.v_descale = descales_.get();
    return baseline_.plan(problem, other, there);
  }

 private:
  const Implementation& baseline_ = find_implementation("baseline");
  int page_;
  float factor_;
  mutable hip::Buffer descales_;
};

OutcomeKind judged(const Implementation& implementation, const Problem& problem, const Tensors& tensors) {
  harness::CaseOracle oracle(problem, tensors);
  harness::Record record;
  harness::judge_case(implementation, problem, tensors, {}, oracle, record);
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
  CHECK(judged(find_implementation("baseline"), problem, tensors) == OutcomeKind::passed);
  // The page that outweighs the others, 2^40 or 2^20, by an eighth.
  CHECK(judged(Mistaken(turned ? 6 : 2, 1.125f), problem, tensors) == OutcomeKind::inaccurate);
}
