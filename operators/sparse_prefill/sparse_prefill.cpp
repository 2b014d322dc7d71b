#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/generate.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

namespace fmha950::operators {
namespace {

class SparsePrefill : public Operator {
 public:
  SparsePrefill()
      : Operator({.name = "sparse_prefill",
                  .keys = sparse_keys,
                  .tensors = sparse_tensor_entries,
                  .own = &typeid(SparseLists),
                  .own_tensors = &typeid(SparseTensors),
                  .key_owner = KeyOwner::query,
                  .fewest_judged_rows = 32,
                  .fewest_rows_to_run = 32, // a tile may be one token
                  .tile_keys = 32,
                  .stored_in = "row",
                  .order = 2}) {}

  void check(const Problem& problem) const override { check_sparse(problem); }
  void check(const Problem& problem, const Tensors& tensors) const override {
    check_sparse(problem, tensors);
  }
  void check_values(const Problem& problem, const Tensors& tensors) const override {
    check_sparse_values(problem, tensors);
  }
  Tensors make(const Problem& problem) const override {
    return make_sparse_tensors(problem, {make_prefix_lists(problem), make_extend_lists(problem),
                                         workload::make_value_source(problem)});
  }
  InputBytes bytes(const Problem& problem) const override { return sparse_bytes(problem); }
  const Oracle& oracle() const override { return sparse_oracle(); }
  const PartNames& parts() const override { return sparse_parts(); }
};

const RegisterOperator<SparsePrefill> registered;

} // namespace
} // namespace fmha950::operators
