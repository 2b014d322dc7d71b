#include "impl_reference/oracle_of_passes.hpp"
#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"

namespace fmha950 {
namespace reference {

FMHA950_PASSES_OF(sparse_prefill)

} // namespace reference

namespace operators {
namespace {

class SparseOracle : public reference::OracleOfPasses {
 public:
  SparseOracle() : OracleOfPasses(reference::passes_of_sparse_prefill()) {}
  Visibility visibility(const Problem&, const Tensors& tensors, QueryRow row) const override {
    return {.sink_end = 0, .window_begin = 0, .end = TokenLists(sparse_tensors(tensors), row.query).size()};
  }
  KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                           const std::vector<int>& lengths) const override {
    return prefixes_of_token(problem, tensors, row, head, lengths);
  }
  double max_value(const Problem& problem, const Tensors& tensors) const override {
    return max_value_in_lists(problem, tensors);
  }
};

} // namespace

const Oracle& sparse_oracle() {
  static const SparseOracle oracle;
  return oracle;
}

} // namespace operators
} // namespace fmha950
