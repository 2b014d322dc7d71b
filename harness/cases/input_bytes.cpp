#include "harness/cases/input_bytes.hpp"

#include "interface/sparse_tensors.hpp"
#include "workload/quantise.hpp"
#include "workload/sparse_lists.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::harness {

namespace {

constexpr double poison_limit = 256 << 20; // poison.hpp

double sum_of(const Problem& problem, auto number) {
  double sum = 0;
  for (const Request& request : problem.requests) sum += number(request);
  return sum;
}

// Pages or rows of a pool: all, those with values, and those with values or poison.
struct Held {
  double total = 0, used = 0, written = 0;
};

// `bytes` is one page's.
// Where not all unused pages are poisoned, the first and last of every range of them are.
Held held(double total, double used, double bytes) {
  const double unused = total - used;
  return {total, used, used + (unused * bytes <= poison_limit ? unused : std::min(unused, 2 * (used + 1)))};
}

// Of a tensor with `bytes` for each page or row. The host gives memory by 4 KiB, and unused neighbours that
// are poisoned lie beside a used page: on the average such a group takes less than a host page beyond its
// bytes, and a quarter more is on the safe side.
double touched(const Held& pages, double count, double bytes) {
  constexpr double host_page = 4096;
  if (bytes == 0) return 0;
  const double beyond = std::fmod(bytes, host_page) == 0 ? 0 : 1.25 * host_page;
  return std::min(pages.total * bytes, count * bytes + (pages.used + 1) * beyond);
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
  const double row = double(p.kv_heads) * p.head_dim;
  switch (p.quantisation) {
  case Quantisation::none: return 0;
  case Quantisation::per_tensor: return 3 * sizeof(float);
  case Quantisation::kv_blockscale: return 2 * pages.total * p.kv_heads * sizeof(float) + sizeof(float);
  case Quantisation::mx: break;
  }
  return q / block + touched(pages, pages.written, p.page_size * row / block) +
         touched(pages, pages.written, std::ceil(p.page_size / block) * row);
}

InputBytes of_pages(const Problem& p) {
  const double row = double(p.kv_heads) * p.head_dim, page = p.page_size * row;
  const Held pages = held_pages(p, page * element_bytes(p.kv_type));
  const double tokens = sum_of(p, [](const Request& request) { return request.query_length; });
  const double q = tokens * p.query_heads * p.head_dim;
  InputBytes bytes;
  bytes.pools = 2 * touched(pages, pages.written, page * element_bytes(p.kv_type));
  bytes.kept = bytes.pools + q * element_bytes(p.query_type) + descale_bytes(p, pages, q) +
               table_bytes(p, pages.used) + (p.sink_logit ? p.query_heads * sizeof(float) : 0);
  if (p.op == Operator::append_prefill)
    bytes.kept += 2 * tokens * row * element_bytes(p.query_type) +
                  double(p.calls - 1) * static_cast<double>(p.requests.size()) * sizeof(int32_t);
  const double original = sizeof(float) * q + 2 * touched(pages, pages.used, page * sizeof(float));
  const ElementType computed = workload::compute_type(p);
  const bool equal = p.query_type == computed && p.kv_type == computed;
  (equal ? bytes.making : bytes.original) += original;
  bytes.original += pages.written * sizeof(int32_t); // which pages hold anything
  constexpr double bytes_of_use = 32;                // page_assignment.hpp
  bytes.making += pages.used * bytes_of_use + pages.total * sizeof(int32_t);
  bytes.copied = 2 * pages.used * page * 2;
  return bytes;
}

// Of Q, the pool or the chunk.
void add_rows(const Problem& p, double total, double used, InputBytes& bytes) {
  using namespace sparse;
  const bool quantised = p.kv_type == ElementType::fp8, packed = p.row_format == RowFormat::packed;
  const double nope = !quantised ? 2 * head_dim : packed ? head_dim : nope_columns;
  const double rope = quantised ? 2 * rope_columns : 0;
  const double scale = quantised && !packed ? 4 * (nope_columns / split_block) : 0;
  const Held rows = held(total, used, nope + rope + scale);
  for (const double of_row : {nope, rope, scale}) bytes.kept += touched(rows, rows.written, of_row);
  if (quantised) bytes.original += touched(rows, rows.used, sizeof(float) * head_dim);
  bytes.original += rows.written * sizeof(int32_t);
  bytes.copied += used * head_dim * 2;
}

InputBytes of_rows(const Problem& p) {
  const SparseLists& lists = *p.sparse;
  const workload::ListedIds ids = workload::listed_ids(p);
  const double q_rows = double(lists.tokens) * p.query_heads;
  const double named = static_cast<double>(ids.prefix + ids.extend);
  InputBytes bytes;
  add_rows(p, q_rows, q_rows, bytes);
  add_rows(p, lists.pool_rows, std::min<double>(lists.pool_rows, double(ids.prefix)), bytes);
  add_rows(p, lists.chunk_rows, std::min<double>(lists.chunk_rows, double(ids.extend)), bytes);
  bytes.kept += sizeof(int32_t) * (named + 2 * (lists.tokens + 1 + workload::list_padding)) +
                (p.sink_logit ? p.query_heads * sizeof(float) : 0);
  bytes.making = 2 * sizeof(int32_t) * named; // the lists, and the rows that they name
  return bytes;
}

} // namespace

InputBytes input_bytes(const Problem& problem) {
  return problem.op == Operator::sparse_prefill ? of_rows(problem) : of_pages(problem);
}

} // namespace fmha950::harness
