#include "operators/paged/definition.hpp"
#include "workload/quantise.hpp"
#include "workload/touched_bytes.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::operators {
namespace {

using namespace workload;

double bytes_of_element(ElementType type) { return element_bits(type) / 8.0; }

double sum_of(const Problem& problem, auto number) {
  double sum = 0;
  for (const Request& request : problem.requests) sum += number(request);
  return sum;
}

Held held_pages(const Problem& p, double page_bytes) {
  const double named = sum_of(p, [&](const Request& request) { return p.pages_of(request); });
  if (p.page_order != PageOrder::lru) return held(named + p.spare_pages, named, page_bytes);
  // The allocator's pool is not known before it has been run: at most as much is poisoned as ever is.
  const double poisoned = poison_limit / page_bytes + 2 * (named + 1);
  return {named + poisoned, named, named + poisoned};
}

double table_bytes(const Problem& p, double named) {
  const double batch = static_cast<double>(p.requests.size());
  double longest = 0;
  for (const Request& request : p.requests) longest = std::max<double>(longest, p.pages_of(request));
  const double of_pages =
      p.page_table == PageTable::sglang ? 2 * batch + 1 + named + 7 : batch * (longest + 4);
  return 4 * (batch + 1 + of_pages);
}

double descale_bytes(const Problem& p, const Held& pages, double q) {
  constexpr double block = 32;
  const double row = double(p.kv_heads) * p.head_dim, value_row = double(p.kv_heads) * p.value_columns();
  switch (p.quantisation) {
  case Quantisation::none: return 0;
  case Quantisation::per_tensor: return 3 * sizeof(float);
  case Quantisation::page: return 2 * pages.total * p.kv_heads * sizeof(float) + sizeof(float);
  case Quantisation::mx: break;
  }
  return q / block + touched(pages, pages.written, p.page_size * row / block) +
         touched(pages, pages.written, std::ceil(p.page_size / block) * value_row);
}

} // namespace

InputBytes paged_bytes(const Problem& p) {
  const double row = double(p.kv_heads) * p.head_dim, page = static_cast<double>(p.page_elements()),
               value_page = static_cast<double>(p.value_page_elements());
  const Held pages = held_pages(p, page * bytes_of_element(p.kv_type));
  const double tokens = sum_of(p, [](const Request& request) { return request.query_length; });
  const double q = tokens * p.query_heads * p.head_dim;
  InputBytes bytes;
  const auto pools = [&](double number, double bytes_each) {
    return touched(pages, number, page * bytes_each) + touched(pages, number, value_page * bytes_each);
  };
  bytes.pools = pools(pages.written, bytes_of_element(p.kv_type));
  bytes.kept = bytes.pools + q * element_bytes(p.query_type) + descale_bytes(p, pages, q) +
               table_bytes(p, pages.used) + (p.sink_logit ? p.query_heads * sizeof(float) : 0) +
               (p.tree_nodes > 0 ? tokens * sizeof(uint64_t) : 0);
  if (p.op->facts().appends)
    bytes.kept += 2 * tokens * row * element_bytes(p.query_type) +
                  double(p.calls - 1) * static_cast<double>(p.requests.size()) * sizeof(int32_t);
  const double original = sizeof(float) * q + pools(pages.used, sizeof(float));
  const ElementType computed = compute_type(p);
  const bool equal = p.query_type == computed && p.kv_type == computed;
  (equal ? bytes.making : bytes.original) += original;
  bytes.original += pages.written * sizeof(int32_t); // which pages hold anything
  constexpr double bytes_of_use = 32;                // page_assignment.hpp
  bytes.making += pages.used * bytes_of_use + pages.total * sizeof(int32_t);
  bytes.copied = pages.used * (page + value_page) * 2;
  return bytes;
}

} // namespace fmha950::operators
