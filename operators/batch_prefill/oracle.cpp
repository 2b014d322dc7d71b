#include "impl_reference/oracle_of_passes.hpp"
#include "operators/batch_prefill/definition.hpp"
#include "operators/paged/definition.hpp"

namespace fmha950 {
namespace reference {

FMHA950_PASSES_OF(batch_prefill)

} // namespace reference

namespace operators {
namespace {

class BatchOracle : public reference::OracleOfPasses {
 public:
  BatchOracle() : OracleOfPasses(reference::passes_of_batch_prefill()) {}
  Visibility visibility(const Problem& problem, const Tensors& tensors, QueryRow row) const override {
    return visibility_in_pages(problem, tensors, row);
  }
  KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                           const std::vector<int>& lengths) const override {
    return prefixes_of_request(problem, tensors, row, head, lengths);
  }
  double max_value(const Problem& problem, const Tensors& tensors) const override {
    return max_value_in_pages(problem, tensors);
  }
};

} // namespace

const Oracle& batch_oracle() {
  static const BatchOracle oracle;
  return oracle;
}

} // namespace operators
} // namespace fmha950
