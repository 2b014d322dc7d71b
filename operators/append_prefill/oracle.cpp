#include "impl_reference/oracle_of_passes.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/appended_cache.hpp"
#include "operators/append_prefill/appended_request.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/paged/definition.hpp"

#include <cmath>

namespace fmha950 {
namespace reference {

FMHA950_PASSES_OF(append_prefill)

} // namespace reference

namespace operators {
namespace {

double largest_in(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) largest = std::fmax(largest, std::fabs(tensor.value(i)));
  return largest;
}

class AppendOracle : public reference::OracleOfPasses {
 public:
  AppendOracle() : OracleOfPasses(reference::passes_of_append_prefill()) {}
  Cache cache_after(const Problem& problem, const Tensors& tensors) const override {
    return appended_cache(problem, tensors);
  }
  Visibility visibility(const Problem& problem, const Tensors&, QueryRow row) const override {
    return visibility_of(problem, problem.requests[static_cast<size_t>(row.request)], row.query);
  }
  KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                           const std::vector<int>& lengths) const override {
    const AppendedRequest one = appended_request(problem, tensors, row.request);
    return prefixes_of_request(one.problem, one.tensors, {0, row.query}, head, lengths);
  }
  double max_value(const Problem& problem, const Tensors& tensors) const override {
    return std::fmax(max_value_in_pages(problem, tensors), largest_in(append_tensors(tensors).v_new));
  }
};

} // namespace

const Oracle& append_oracle() {
  static const AppendOracle oracle;
  return oracle;
}

} // namespace operators
} // namespace fmha950
