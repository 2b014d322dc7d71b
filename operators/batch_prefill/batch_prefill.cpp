#include "interface/validate_detail.hpp"
#include "operators/batch_prefill/definition.hpp"
#include "operators/paged/definition.hpp"
#include "operators/paged/generate.hpp"
#include "operators/paged/keys.hpp"

namespace fmha950::operators {
namespace {

class BatchPrefill : public Operator {
 public:
  BatchPrefill()
      : Operator({.name = "batch_prefill",
                  .keys = case_keys::paged_keys,
                  .tensors = batch_tensors,
                  .pages = true,
                  .order = 0}) {}

  void check(const Problem& problem) const override { check_paged_fields(problem); }
  void check(const Problem& problem, const Tensors& tensors) const override {
    check_shapes(problem, tensors);
    check_tables(problem, tensors);
    check_descales(problem, tensors);
    check_tree_mask(problem, tensors);
    validation::check_sink_logits(tensors);
  }
  void check_values(const Problem& problem, const Tensors& tensors) const override {
    check_query_values(problem, tensors, "q", tensors.q, "head");
    check_pool_values(problem, tensors, "k_pool", "v_pool");
  }
  Tensors make(const Problem& problem) const override {
    return make_paged_tensors(problem, choices_of(problem));
  }
  InputBytes bytes(const Problem& problem) const override { return paged_bytes(problem); }
  const Oracle& oracle() const override { return batch_oracle(); }
  const PartNames& parts() const override { return paged_parts(); }
};

const RegisterOperator<BatchPrefill> registered;

} // namespace
} // namespace fmha950::operators
