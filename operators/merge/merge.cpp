#include "operators/merge/merge.hpp"

#include "operators/merge/definition.hpp"
#include "operators/merge/generate.hpp"
#include "operators/merge/merge_tensors.hpp"

namespace fmha950::operators {
namespace {

class Merge : public Operator {
 public:
  Merge()
      : Operator({.name = merge.text(),
                  .keys = merge_keys,
                  .tensors = merge_tensor_entries,
                  .own = &typeid(MergeForm),
                  .own_tensors = &typeid(MergeTensors),
                  .key_owner = KeyOwner::query,
                  .fewest_judged_rows = 32,
                  .fewest_rows_to_run = 32, // of the smallest tile, a token
                  .tile_keys = 1,
                  .products = 1,
                  .stored_in = "part",
                  .order = 3}) {}

  void check(const Problem& problem) const override { check_merge(problem); }
  void check(const Problem& problem, const Tensors& tensors) const override { check_merge(problem, tensors); }
  void check_values(const Problem& problem, const Tensors& tensors) const override {
    check_merge_values(problem, tensors);
  }
  Tensors make(const Problem& problem) const override {
    return make_merge_tensors(problem, part_source(problem));
  }
  InputBytes bytes(const Problem& problem) const override { return merge_bytes(problem); }
  const Oracle& oracle() const override { return merge_oracle(); }
  const PartNames& parts() const override { return merge_parts(); }
};

const RegisterOperator<Merge> registered;

} // namespace
} // namespace fmha950::operators
