#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/calls.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/paged/definition.hpp"
#include "operators/paged/generate.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

constexpr AppendedRows chunk = {
    [](Tensors& tensors) -> Tensor& { return append_tensors(tensors).k_new; },
    [](Tensors& tensors) -> Tensor& { return append_tensors(tensors).v_new; },
    [](Tensors& tensors) -> Tensor& { return append_tensors(tensors).positions; },
};

class AppendPrefill : public Operator {
 public:
  AppendPrefill()
      : Operator({.name = "append_prefill",
                  .keys = append_keys,
                  .tensors = append_table,
                  .own = &typeid(RotaryEmbedding),
                  .own_tensors = &typeid(AppendTensors),
                  .pages = true,
                  .appends = &chunk,
                  .order = 1}) {}

  void check(const Problem& problem) const override { check_append(problem); }
  void check(const Problem& problem, const Tensors& tensors) const override {
    check_append(problem, tensors);
  }
  void check_values(const Problem& problem, const Tensors& tensors) const override {
    check_query_values(problem, tensors, "q", tensors.q, "head");
    check_query_values(problem, tensors, "k_new", append_tensors(tensors).k_new, "KV head");
    check_query_values(problem, tensors, "v_new", append_tensors(tensors).v_new, "KV head");
    check_pool_values(problem, tensors, "k_cache", "v_cache");
    check_angles(problem, tensors);
  }
  Tensors make(const Problem& problem) const override {
    Tensors tensors = make_paged_tensors(problem, choices_of(problem));
    append_tensors(tensors).call_cuts = make_call_cuts(problem);
    make_rotary_tensors(problem, tensors);
    return tensors;
  }
  InputBytes bytes(const Problem& problem) const override {
    InputBytes bytes = paged_bytes(problem);
    if (const RotaryEmbedding* const embedding = rotary_embedding(problem))
      bytes.kept += sizeof(int32_t) * static_cast<double>(problem.total_queries()) +
                    sizeof(float) * std::max(problem.max_key_length(), 1) * double(embedding->rotated);
    return bytes;
  }
  OperatorCall call(const Problem& problem, const Tensors& tensors, int index) const override {
    const AppendCall call =
        append_calls(problem, append_tensors(tensors).call_cuts)[static_cast<size_t>(index)];
    return {call.problem, tensors_of_call(problem, tensors, call), call.first_query};
  }
  const Oracle& oracle() const override { return append_oracle(); }
  const PartNames& parts() const override { return paged_parts(); }
};

const RegisterOperator<AppendPrefill> registered;

} // namespace
} // namespace fmha950::operators
