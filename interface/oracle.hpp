#pragma once
// What the harness asks of impl_reference: the float64 truth, a plain low-precision implementation against
// which limits are computed (DESIGN.md section 7), and the exact bytes that append_prefill leaves in its
// cache.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <vector>

namespace fmha950 {

struct QueryRow { // row `query` (0-based within its request) of every query head
  int request = 0;
  int query = 0;
  bool operator==(const QueryRow&) const = default;
};

struct AttentionRows { // for rows[r], head h: output[(r * Hq + h) * D + column], lse[r * Hq + h] (natural
                       // log)
  std::vector<QueryRow> rows;
  std::vector<double> output;
  std::vector<double> lse;
};

enum class OracleInput : uint8_t { dequantised, original };

// How a kernel rounds P before the second product, for the plain implementation.
struct PlainRounding {
  ElementType p_type = ElementType::bf16; // bf16, fp16 or fp8
  float p_shift = 0; // log2 by which the row maximum is lowered (8 for fp8 with the shift trick)
};

// The pools of append_prefill after the call.
struct Cache {
  Tensor k, v;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual AttentionRows exact(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                              OracleInput) const = 0;
  virtual AttentionRows plain(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                              PlainRounding) const = 0;
  // Of append_prefill: copies of the pools with the chunk appended. The tensors' own stay as they are.
  virtual Cache cache_after(const Problem&, const Tensors&) const = 0;
};

} // namespace fmha950
