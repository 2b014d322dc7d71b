#pragma once
// Every part that the audit looks at (interface/audit.hpp): those of each request and KV head, and those that
// several share: a KV head's V, a page that requests share, a row that tokens list.

#include "harness/judge/evidence.hpp"

#include <functional>

namespace fmha950::harness {

// Where a part is. Of sparse_prefill `request` is a token, and keys are positions in its lists.
struct PartPlace {
  PartKind kind = PartKind::tile;
  int request = -1, kv_head = -1;  // -1: of all
  int first_key = 0, last_key = 0; // [first, last)
  int column = -1;                 // of kinds with columns: which; of edges: enum Edge
  int64_t page = -1;               // the page that holds all of it, if one does
  int64_t row = -1;                // sparse_prefill: of the pool, or pool_rows + of the chunk
  bool operator==(const PartPlace&) const = default;
};

struct Part {
  PartPlace place;
  PartSums sums;
  LseSums lse, lse_offset; // zeros where there is no LSE
  double rows_alike = 1;   // AuditGroup's, of several groups the most
};

// Keys times KV heads of all requests that have a query; of sparse_prefill, those of all lists.
int64_t keys_to_audit(const Problem& problem, const Tensors& tensors);

void for_each_part(const Evidence& evidence, const std::function<void(const Part&)>& use);

} // namespace fmha950::harness
