#pragma once
// Where a part of the audit is, and how an operator's parts are found, shared and named (audit.hpp).

#include "interface/audit.hpp"
#include "interface/query_row.hpp"
#include "interface/tensors.hpp"

#include <string>

namespace fmha950 {

// `request` and keys are those of an AuditOwner: where each query has keys of its own, a query and positions.
struct PartPlace {
  PartKind kind = PartKind::tile;
  int request = -1, kv_head = -1;  // -1: of all
  int first_key = 0, last_key = 0; // [first, last)
  int column = -1;                 // of kinds with columns: which; of edges: enum Edge
  int64_t page = -1;               // the page that holds all of it, if one does
  int64_t row = -1;                // sparse_prefill: of the pool, or pool_rows + of the chunk
  bool operator==(const PartPlace&) const = default;
};

std::string numbers_of_keys(const PartPlace& place); // "64-127", or "64" where it is one

// What holds for keys that belong to one request and are stored nowhere else. An operator whose keys are shared
// derives from it.
class PartNames {
 public:
  virtual ~PartNames() = default;
  // Where the whole part is stored.
  virtual void find(const Problem&, const Tensors&, PartPlace&) const {}
  // Several owners share this part, and its request is no longer known: names it so that it is the same for all of them,
  // or says no.
  virtual bool share(const Problem&, PartPlace&) const { return false; }
  // "keys 6400-6463 (page 412 of request 0, KV head 1)"
  virtual std::string text(const Problem& problem, const PartPlace& place) const;
  // "keys 64-127 of request 0, KV head 1", by numbers alone
  virtual std::string text_of_keys(const PartPlace& place) const;
  virtual std::string text_of_row(QueryRow row) const; // "request 0, query 3"
};

} // namespace fmha950
