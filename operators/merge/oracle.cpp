#include "impl_reference/oracle_of_passes.hpp"
#include "operators/merge/definition.hpp"
#include "operators/merge/merge_form.hpp"

namespace fmha950 {
namespace reference {

FMHA950_PASSES_OF(merge)

} // namespace reference

namespace operators {
namespace {

class MergeOracle : public reference::OracleOfPasses {
 public:
  MergeOracle() : OracleOfPasses(reference::passes_of_merge()) {}
  Visibility visibility(const Problem& problem, const Tensors&, QueryRow) const override {
    return {.sink_end = 0, .window_begin = 0, .end = merge_form(problem)->parts};
  }
  KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                           const std::vector<int>& lengths) const override {
    return prefixes_of_parts(problem, tensors, row, head, lengths);
  }
  double max_value(const Problem& problem, const Tensors& tensors) const override {
    return largest_partial_output(problem, tensors);
  }
};

} // namespace

const Oracle& merge_oracle() {
  static const MergeOracle oracle;
  return oracle;
}

} // namespace operators
} // namespace fmha950
