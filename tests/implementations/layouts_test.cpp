// An implementation that takes a pool for one of another layout is not accurate: the bytes are all there, in other rows.
#include "harness/accuracy/accuracy_case.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <functional>

using namespace fmha950;

namespace {

// Does right what it was not asked for.
class Mistaken final : public Implementation {
 public:
  using Mistake = std::function<void(Problem&, DeviceTensors&)>;
  Mistaken(const std::string& does, Mistake mistake)
      : does_(find_implementation(does)), mistake_(std::move(mistake)) {}

  std::string_view name() const override { return "mistaken"; }
  std::string_view description() const override { return "takes pools for others"; }
  const std::vector<FeatureSet>& features() const override { return does_.features(); }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    Problem other = problem;
    DeviceTensors there = device;
    if (mistake_) mistake_(other, there);
    return does_.plan(other, with_shapes_of(other, host), there);
  }

 private:
  static Tensors with_shapes_of(const Problem& problem, Tensors tensors) {
    tensors.k_pool = reshaped(tensors.k_pool, k_pool_shape(problem, tensors.pool_pages()));
    tensors.v_pool = reshaped(tensors.v_pool, v_pool_shape(problem, tensors.v_pool.shape()[0]));
    return tensors;
  }
  static Tensor reshaped(const Tensor& tensor, std::vector<int64_t> shape) {
    Tensor other(tensor.type(), std::move(shape));
    std::memcpy(other.data(), tensor.data(), tensor.bytes());
    return other;
  }

  const Implementation& does_;
  Mistake mistake_;
};

Outcome judged(const Implementation& implementation, const std::string& text) {
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseOracle oracle(problem, tensors);
  harness::Record record;
  harness::judge_case(implementation, problem, tensors, {}, oracle, record);
  return record.outcome;
}

void take_for(KvLayout layout, Problem& problem) { problem.kv_layout = layout; }

// K and V of one pool as two pools.
void take_apart(Problem& problem, DeviceTensors& device) {
  problem.interleaved = false;
  device.k_page_stride = device.v_page_stride = 0;
}

// Whole pages, so that no poison gives a mistake away.
const std::string whole_pages = "batch_prefill/h=4:2/sq=33/sk=96/d=128/kv=fp8/quant=tensor/page=32/lse=1";

} // namespace

TEST_CASE("LINEAR read as HND is inaccurate, and HND as LINEAR") {
  for (const char* const name : {"baseline", "prepass"}) {
    CAPTURE(name);
    const Mistaken right(name, {});
    const Mistaken as_hnd(name, [](Problem& p, DeviceTensors&) { take_for(KvLayout::hnd, p); });
    const Mistaken as_linear(name, [](Problem& p, DeviceTensors&) { take_for(KvLayout::linear, p); });
    const std::string hnd = whole_pages + "/layout=hnd";
    CHECK(judged(right, whole_pages).kind() == OutcomeKind::passed);
    CHECK(judged(right, hnd).kind() == OutcomeKind::passed);
    CHECK(judged(as_hnd, whole_pages).kind() == OutcomeKind::inaccurate);
    CHECK(judged(as_linear, hnd).kind() == OutcomeKind::inaccurate);
    // With one KV head the two are one layout.
    const std::string one_head = "batch_prefill/h=4:1/sq=33/sk=96/d=128/page=32/lse=1";
    CHECK(judged(as_hnd, one_head).kind() == OutcomeKind::passed);
    CHECK(judged(as_linear, one_head + "/layout=hnd").kind() == OutcomeKind::passed);
  }
}

TEST_CASE("one pool of K and V read as two is inaccurate") {
  for (const char* const name : {"baseline", "prepass"}) {
    CAPTURE(name);
    const Mistaken right(name, {}), apart(name, take_apart);
    const std::string interleaved = whole_pages + "/interleaved=1/order=sequential/spare=0";
    CHECK(judged(right, interleaved).kind() == OutcomeKind::passed);
    CHECK(judged(apart, interleaved).kind() == OutcomeKind::inaccurate);
  }
}
