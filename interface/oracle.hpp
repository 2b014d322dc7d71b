#pragma once
// What the harness asks of impl_reference: the float64 truth, and a plain low-precision implementation
// against which limits are computed (DESIGN.md section 7).

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

class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual AttentionRows exact(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                              OracleInput) const = 0;
  virtual AttentionRows plain(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                              PlainRounding) const = 0;
};

} // namespace fmha950
