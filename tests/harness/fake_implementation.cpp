// Not a test itself: registers the implementations of fake_implementation.hpp and points the process at the
// fake HIP library before anything asks for one.
#include "fake_implementation.hpp"

#include "harness/judge/row_sample.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>

namespace fmha950::harness::fake {

namespace {

[[maybe_unused]] const int library_is_set = setenv("FMHA950_HIP_LIBRARY", FMHA950_FAKE_HIP, 1);

std::map<std::string, Behaviour, std::less<>>& behaviours() {
  static std::map<std::string, Behaviour, std::less<>> all{{"fake_a", {}}, {"fake_b", {}}};
  return all;
}

uint16_t to_bf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (value != value) return 0x7FC0;
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
}

void require_same(const Tensor& pool, const void* cache) {
  if (!pool.empty() && std::memcmp(pool.data(), cache, pool.bytes()) != 0)
    throw std::logic_error("the cache is not what it was before the call");
}

class FakePlan : public Plan {
 public:
  FakePlan(Behaviour& behaviour, const Problem& problem, const Tensors& host, const DeviceTensors& device)
      : behaviour_(behaviour), problem_(problem), host_(host), device_(device) {}
  std::string variant() const override { return "scalar"; }
  size_t workspace_bytes() const override { return 42; }
  ProbabilityRounding probability_rounding() const override { return {}; }
  int query_tile() const override { return 16; }
  TileShape score_tile() const override { return {16, 16}; }
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override {
    return {{"fake", std::vector<uint32_t>(rows.size(), 0)}};
  }
  void enqueue(hip::Stream) override {
    if (!behaviour_.device_error.empty()) {
      hip::api().SetOption("fault", "");
      throw DeviceError(behaviour_.device_error);
    }
    const Tensors used = behaviour_.use ? behaviour_.use(host_) : host_;
    const Problem problem = behaviour_.problem ? behaviour_.problem(problem_) : problem_;
    AttentionRows result = oracle().plain(problem, used, all_rows(problem_), {});
    if (behaviour_.spoil) behaviour_.spoil(result.output, run_);
    ++run_;
    std::vector<uint16_t> output;
    for (const double value : result.output) output.push_back(to_bf16(value));
    if (behaviour_.skip_last_row)
      output.resize(output.size() - static_cast<size_t>(problem_.query_heads * problem_.value_columns()));
    if (!output.empty()) std::memcpy(device_.output, output.data(), output.size() * 2);
    for (size_t i = 0; problem_.lse && i < result.lse.size(); ++i)
      device_.lse[i] = static_cast<float>(result.lse[i]);
    if (problem_.op == append_prefill) append(used, run_ - 1);
  }
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>&) override {
    ++behaviour_.restricted_runs;
    enqueue(stream);
  }

 private:
  void append(const Tensors& used, int run) {
    require_same(host_.k_pool, device_.k_cache);
    require_same(host_.v_pool, device_.v_cache);
    Cache cache = oracle().cache_after(problem_, used);
    if (behaviour_.spoil_cache) behaviour_.spoil_cache(cache, run);
    std::memcpy(device_.k_cache, cache.k.data(), cache.k.bytes());
    std::memcpy(device_.v_cache, cache.v.data(), cache.v.bytes());
  }

  Behaviour& behaviour_;
  Problem problem_;
  Tensors host_;
  DeviceTensors device_;
  int run_ = 0;
};

FeatureSet all_features() {
  return {
      {feature::operation, {"batch_prefill", "append_prefill", "sparse_prefill"}},
      any_number(feature::kv_heads),
      any_number(feature::heads_per_kv_head),
      {feature::types,
       {"bf16 with bf16", "fp16 with fp16", "bf16 with fp8", "fp16 with fp8", "fp8 with fp8"}},
      {feature::output, {"bf16", "fp16"}},
      {feature::head_dim, {"64", "128", "256", "512", "192:128"}},
      {feature::layout, {"linear", "vectorized", "hnd"}},
      {feature::tensor_descales},
      {feature::page_descales, {"1", "16", "32", "64", "128", "1024"}},
      {feature::mx},
      {feature::strided},
      {feature::interleaved},
      {feature::window},
      {feature::sink_tokens},
      {feature::tree},
      {feature::sink_logit},
      {feature::soft_cap},
      {feature::causal},
      {feature::lse},
      {feature::page_table, {"sglang", "vllm"}},
      {feature::page_size, {"1", "16", "32", "64", "128", "1024"}},
      {feature::consecutive_pages},
      {feature::mode, {"batch", "group"}},
      {feature::batch_invariant},
      {feature::row_format, {"split", "packed"}},
  };
}

template <char Letter> class FakeImplementation : public Implementation {
 public:
  std::string_view name() const override { return name_; }
  std::string_view description() const override { return "fake implementation of the harness's tests"; }
  Rank rank(const Problem&) const override { return behaviour(name_).rank; }
  std::optional<double> estimated_seconds(const Problem&) const override { return behaviour(name_).seconds; }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> none = {{{feature::operation, {}, "the test says so"}}};
    static const std::vector<FeatureSet> all = {all_features()};
    return behaviour(name_).supported ? all : none;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    Behaviour& mine = behaviour(name_);
    mine.planned.push_back(problem);
    mine.caches.push_back(device.k_cache);
    if (problem.op == append_prefill) validate(problem, host, device);
    if (!mine.invalid_input.empty())
      throw InvalidInput("field", mine.invalid_input, "must be something else");
    return std::make_unique<FakePlan>(mine, problem, host, device);
  }

 private:
  std::string name_ = std::string("fake_") + Letter;
};

const RegisterImplementation<FakeImplementation<'a'>> register_a;
const RegisterImplementation<FakeImplementation<'b'>> register_b;

} // namespace

Behaviour& behaviour(std::string_view name) { return behaviours().find(name)->second; }

void reset_behaviours() {
  for (auto& [name, one] : behaviours()) one = {};
}

} // namespace fmha950::harness::fake
