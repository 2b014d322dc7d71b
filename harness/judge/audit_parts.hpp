#pragma once
// Every part that the audit looks at (interface/audit.hpp): those of each request and KV head, and those that
// several share: a KV head's V, a page that requests share, a row that tokens list.

#include "harness/judge/evidence.hpp"
#include "interface/part_names.hpp"

#include <functional>

namespace fmha950::harness {

struct Part {
  PartPlace place;
  PartSums sums;
  LseSums lse, lse_offset; // zeros where there is no LSE
  double rows_alike = 1;   // AuditOwner's; the most if there are several owners
};

// Keys times KV heads of all requests that have a query, or of all queries that have keys of their own.
int64_t keys_to_audit(const Problem& problem, const Tensors& tensors);

void for_each_part(const Evidence& evidence, const std::function<void(const Part&)>& use);

} // namespace fmha950::harness
