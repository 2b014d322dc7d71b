#pragma once
// A mistake that a kernel could make, made on purpose without knowing any kernel: it gets inputs other than
// those that it is judged by, or what it wrote is changed afterwards. docs/sabotage.md lists the kinds.

#include "harness/device/device_case.hpp"
#include "interface/implementation.hpp"

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

// What a defect does to a result that is right; either as numbers, to know what it would do, or on the
// device. The rows are those of the case.
struct OutputChange {
  std::function<void(AttentionRows& rows)> expected;
  std::function<void(RowOutputs& outputs, const std::vector<QueryRow>& rows)> on_device;
};

// A wrong weight of one split part of some rows, between the launch that makes it and the one that joins.
struct PartChange {
  std::vector<PartialWeight> parts;   // of the rows and heads concerned
  std::vector<PartialWeight> instead; // of each, the part whose weight it gets; empty: times `factor`
  double factor = 0;                  // 0: left out, 2: counted twice
};

struct Defect {
  std::string kind;  // "v_tile_x1.1"
  std::string place; // "keys 64-127 of request 0, KV head 1"
  // Exactly one of these. `inputs` changes copies: tensors that it writes to are its own.
  std::function<void(Problem&, Tensors&)> inputs = {};
  std::function<void(Problem&, Tensors&)> cache = {}; // append_prefill: as the cache is found after the call
  OutputChange outputs = {};
  PartChange parts = {};
};

// A case, the rows that are judged, and what the audit says of them: where a mistake weighs how much.
struct SabotagedCase {
  const Problem& problem;
  const Tensors& tensors;
  const std::vector<QueryRow>& rows;
  const AuditSums& audit;
  const Plan& plan;
};

using DefectFamily = std::vector<Defect> (*)(const SabotagedCase&);

// What only kernels of an operator can do wrong, registered where the operator lives (operators/*/trials): an object of this
// type, made before main.
struct RegisterDefects {
  RegisterDefects(std::string_view op, std::initializer_list<DefectFamily> families);
};

// Those of every operator, then those of the case's own.
std::vector<Defect> all_defects(const SabotagedCase& of);

// Of every operator, in the order of their lines in docs/sabotage.md.
std::vector<Defect> wrong_values(const SabotagedCase& of);
std::vector<Defect> wrong_tables(const SabotagedCase& of);
std::vector<Defect> wrong_masks(const SabotagedCase& of);
std::vector<Defect> wrong_outputs(const SabotagedCase& of);
std::vector<Defect> wrong_parts(const SabotagedCase& of);

// Where a defect is made: keys that weigh much in the judged rows, or keys that weigh as much as most.
struct KeyTarget {
  int request = 0, kv_head = 0; // of sparse_prefill: token, 0
  int first = 0, last = 0;      // [first, last): keys, or positions in a token's lists
  std::string text(const Problem& problem) const;
};

// Ranges of `keys` keys that begin at multiples of it and that the judged rows see: the one that weighs most,
// and the one in the middle. For requests with more than 32768 keys, where a run takes seconds, only the first.
std::vector<KeyTarget> targets(const SabotagedCase& of, int keys);

} // namespace fmha950::harness
