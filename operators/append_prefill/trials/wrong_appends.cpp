// What only append_prefill can do wrong: a cache that is written to the wrong slots, old pages that are read
// as they are stored.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/operator.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The slot of a request's first new token holds what belongs into the next one.
void shift_slot(Problem& problem, Tensors& tensors, Stored which) {
  const Request& request = problem.requests[0];
  const int first = request.key_length - request.query_length;
  Tensor& pool = which == Stored::k ? tensors.k_pool : tensors.v_pool;
  pool = copy_of(pool);
  const size_t bytes = static_cast<size_t>(problem.kv_heads) * static_cast<size_t>(problem.head_dim);
  const auto slot = [&](int token) {
    const int64_t page = page_of(problem, tensors, 0, token);
    return pool.data() + static_cast<size_t>(page * problem.page_size + token % problem.page_size) * bytes;
  };
  std::copy_n(slot(first), bytes, slot(first + 1));
}

} // namespace

std::vector<Defect> wrong_appends(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (!of.problem.op->facts().appends) return defects;
  const Request& request = of.problem.requests[0];
  const int old = request.key_length - request.query_length;
  if (request.query_length > 1)
    for (const Stored which : {Stored::k, Stored::v})
      defects.push_back(
          {.kind = which == Stored::k ? "k_slot_off_by_one" : "v_slot_off_by_one",
           .place = fmt::format("token {}", old),
           .cache = [=](Problem& problem, Tensors& tensors) { shift_slot(problem, tensors, which); }});
  for (const KeyTarget& target : targets(of, of.problem.page_size)) {
    if (target.last > old) continue;
    for (const Stored which : {Stored::k, Stored::v})
      defects.push_back({.kind = which == Stored::k ? "k_page_not_dequantised" : "v_page_not_dequantised",
                         .place = target.text(of.problem),
                         .inputs = [=](Problem& problem, Tensors& tensors) {
                           const float scale =
                               tensor_descale(which == Stored::k ? tensors.k_descale : tensors.v_descale);
                           StoredKeys stored(problem, tensors, which);
                           for (int key = target.first; key < target.last; ++key)
                             stored.scale(target.request, key, target.kv_head, 1 / scale);
                         }});
  }
  return defects;
}

} // namespace fmha950::harness
