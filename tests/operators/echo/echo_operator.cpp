// The operator: every output row is V of the first key of its request.
#include "impl_reference/oracle_of_passes.hpp"
#include "interface/operator.hpp"
#include "interface/validate_detail.hpp"
#include "operators/paged/keys.hpp"
#include "tests/operators/echo/echo_tensors.hpp"
#include "workload/finite.hpp"
#include "workload/quantise.hpp"
#include "workload/tensor_rows.hpp"
#include "workload/value_source.hpp"

#include <cmath>
#include <stdexcept>

namespace fmha950 {
namespace reference::simd_baseline {

extern const Passes echo_passes;

} // namespace reference::simd_baseline

namespace echo {
namespace {

using namespace case_keys;
using namespace tensor_table;
using reference::simd_baseline::echo_passes;

constexpr Key keys[] = {heads_key, repeat_key, query_lengths_key, key_lengths_key, head_dim_key, seed_key};
constexpr std::string_view required[] = {"h"};
constinit const OperatorKeys operator_keys{keys, required, complete_requests};

template <Tensor EchoTensors::* Member> Tensor& in_own(Tensors& tensors) { return own(tensors).*Member; }

constexpr TensorEntry table[] = {
    {"values", in_own<&EchoTensors::values>, always,
     place<[](DeviceTensors& device) -> auto& { return own(device).values; }>(has_keys, of_elements)},
    {"k_indptr", in_own<&EchoTensors::k_indptr>, always,
     place<[](DeviceTensors& device) -> auto& { return own(device).k_indptr; }>(always, of_elements)},
    {"q_indptr", in<&Tensors::q_indptr>, optional, place<&DeviceTensors::q_indptr>(always, of_elements)},
};

class EchoOracle : public reference::OracleOfPasses {
 public:
  EchoOracle() : OracleOfPasses({echo_passes, echo_passes, echo_passes}) {}
  Visibility visibility(const Problem& problem, const Tensors&, QueryRow row) const override {
    const int keys = problem.requests[static_cast<size_t>(row.request)].key_length;
    return {.sink_end = 0, .window_begin = 0, .end = std::min(1, keys)};
  }
  KeyPrefixes key_prefixes(const Problem&, const Tensors&, QueryRow, int,
                           const std::vector<int>&) const override {
    throw std::logic_error("a row that sees one key has no tiles to search");
  }
  double max_value(const Problem&, const Tensors& tensors) const override {
    const Tensor& values = own(tensors).values;
    double largest = 0;
    for (int64_t i = 0; i < values.elements(); ++i) largest = std::fmax(largest, std::fabs(values.value(i)));
    return largest;
  }
};

int64_t all_keys(const Problem& problem) {
  int64_t keys = 0;
  for (const Request& request : problem.requests) keys += request.key_length;
  return keys;
}

Tensor indptr_of(const Problem& problem, int Request::* length) {
  std::vector<int32_t> ends{0};
  for (const Request& request : problem.requests) ends.push_back(ends.back() + request.*length);
  return workload::int_tensor(ends, {std::ssize(ends)});
}

const validation::Rule rules[] = {
    {"h", [](const Problem& p) { return p.query_heads % p.kv_heads == 0; },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); },
     "query heads must be a multiple of KV heads"},
};

class Echo : public Operator {
 public:
  Echo()
      : Operator(
            {.name = "echo", .keys = operator_keys, .tensors = table, .own_tensors = &typeid(EchoTensors)}) {}

  void check(const Problem& problem) const override { validation::check_rules(problem, rules); }
  void check(const Problem& problem, const Tensors& tensors) const override {
    const auto batch = std::ssize(problem.requests);
    const validation::Expected expected[] = {
        {"values",
         own(tensors).values,
         ElementType::bf16,
         {all_keys(problem), problem.kv_heads, problem.head_dim}},
        {"k_indptr", own(tensors).k_indptr, ElementType::int32, {batch + 1}},
        {"q_indptr", tensors.q_indptr, ElementType::int32, {batch + 1}}};
    validation::check_expected(expected);
    validation::check_indptr(
        "k_indptr", own(tensors).k_indptr, problem, [](const Request& r) { return r.key_length; }, "keys");
    validation::check_indptr(
        "q_indptr", tensors.q_indptr, problem, [](const Request& r) { return r.query_length; }, "queries");
  }
  void check_values(const Problem&, const Tensors& tensors) const override {
    const Tensor& values = own(tensors).values;
    if (const int64_t index = workload::first_not_finite(values); index >= 0)
      workload::refuse_value("values", values, index);
  }
  Tensors make(const Problem& problem) const override {
    Tensors tensors;
    tensors.q_indptr = indptr_of(problem, &Request::query_length);
    own(tensors).k_indptr = indptr_of(problem, &Request::key_length);
    Tensor& values = own(tensors).values;
    values = Tensor(ElementType::bf16, {all_keys(problem), problem.kv_heads, problem.head_dim});
    const auto source = workload::make_value_source(problem);
    std::vector<float> columns(static_cast<size_t>(problem.head_dim));
    int64_t next = 0;
    for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request)
      for (int key = 0; key < problem.requests[static_cast<size_t>(request)].key_length; ++key)
        for (int head = 0; head < problem.kv_heads; ++head) {
          source->value(request, key, head, columns);
          for (const float x : columns) workload::store(values, next++, x);
        }
    return tensors;
  }
  InputBytes bytes(const Problem& problem) const override {
    const double row = 2.0 * problem.kv_heads * problem.head_dim;
    return {.kept = static_cast<double>(all_keys(problem)) * row +
                    8 * (1 + static_cast<double>(problem.requests.size()))};
  }
  const Oracle& oracle() const override {
    static const EchoOracle oracle;
    return oracle;
  }
};

const RegisterOperator<Echo> registered;

} // namespace
} // namespace echo
} // namespace fmha950
