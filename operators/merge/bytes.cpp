#include "operators/merge/definition.hpp"
#include "operators/merge/merge_form.hpp"

namespace fmha950::operators {

InputBytes merge_bytes(const Problem& p) {
  const double rows =
      static_cast<double>(merge_form(p)->parts) * static_cast<double>(p.total_queries()) * p.query_heads;
  InputBytes bytes;
  bytes.kept = rows * (static_cast<double>(element_bytes(p.kv_type)) * p.head_dim + sizeof(float));
  return bytes;
}

} // namespace fmha950::operators
