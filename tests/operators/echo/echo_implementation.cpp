// The implementations: `echo`, and `echo_next`, which is wrong, as it takes the key behind the first.
#include "attention/host/launched_plan.hpp"
#include "interface/implementation.hpp"
#include "interface/validate.hpp"
#include "tests/operators/echo/echo_arguments.hpp"
#include "tests/operators/echo/echo_tensors.hpp"

namespace fmha950::echo {
namespace {

class EchoPlan : public attention::LaunchedPlan {
 public:
  EchoPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device, int key)
      : q_indptr_(host.q_indptr) {
    const Arguments arguments{.values = static_cast<const uint16_t*>(own(device).values),
                              .q_indptr = device.q_indptr,
                              .k_indptr = own(device).k_indptr,
                              .output = static_cast<uint16_t*>(device.output),
                              .query_heads = problem.query_heads,
                              .kv_heads = problem.kv_heads,
                              .head_dim = problem.head_dim,
                              .key = key};
    const auto rows = static_cast<unsigned>(q_indptr_.as<int32_t>().back());
    add_launch(hip::load_kernel("echo", "echo_rows"), {rows, 1, 1}, 64, arguments,
               [this](const std::vector<QueryRow>& wanted) { return workgroups_of(wanted); });
  }
  std::string variant() const override { return "copy"; }
  size_t workspace_bytes() const override { return 0; }
  ProbabilityRounding probability_rounding() const override { return {}; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return {1, 1}; }

 private:
  std::vector<uint32_t> workgroups_of(const std::vector<QueryRow>& rows) const {
    std::vector<uint32_t> workgroups;
    for (const QueryRow& row : rows)
      workgroups.push_back(static_cast<uint32_t>(q_indptr_.as<int32_t>()[row.request] + row.query));
    return workgroups;
  }

  Tensor q_indptr_;
};

template <int Key> class EchoImplementation : public Implementation {
 public:
  std::string_view name() const override { return Key == 0 ? "echo" : "echo_next"; }
  std::string_view description() const override { return "copies V of a key of each request"; }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {{{feature::operation, {"echo"}},
                                                  any_number(feature::kv_heads),
                                                  any_number(feature::heads_per_kv_head),
                                                  {feature::types, {"bf16 with bf16"}},
                                                  {feature::output, {"bf16"}},
                                                  any_number(feature::head_dim)}};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<EchoPlan>(problem, host, device, Key);
  }
};

const RegisterImplementation<EchoImplementation<0>> registered;
const RegisterImplementation<EchoImplementation<1>> registered_wrong;

} // namespace
} // namespace fmha950::echo
