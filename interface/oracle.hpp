#pragma once
// What is true of an operator's problem, for the judges: the float64 result, a plain low-precision implementation
// that has to pass the same judges as a kernel, the sums of the audit (DESIGN.md section 7), which keys a row sees,
// and the exact bytes that a call leaves in its cache. impl_reference/ computes most of it for all operators alike.

#include "interface/audit.hpp"
#include "interface/kept_scores.hpp"
#include "interface/key_prefixes.hpp"
#include "interface/problem.hpp"
#include "interface/query_row.hpp"
#include "interface/tensors.hpp"
#include "interface/visibility.hpp"

#include <vector>

namespace fmha950 {

// For rows[r], head h: output[(r * Hq + h) * D + column], lse[r * Hq + h] (natural log).
struct AttentionRows {
  std::vector<QueryRow> rows;
  std::vector<double> output;
  std::vector<double> lse;
  std::shared_ptr<const KeptScores> scores = nullptr; // of exact()
};

enum class OracleInput : uint8_t { dequantised, original };

// How a kernel rounds P before the second product: the words p= and sum= of results. It decides how much
// noise a right kernel has, and what the plain implementation does.
struct ProbabilityRounding {
  ElementType type = ElementType::bf16; // bf16, fp16, or for fp8 values fp8
  // log2 of what the largest P of a row becomes before it is rounded: 8 for fp8 with the shift trick.
  float shift = 0;
  // V's descales enter P before it is rounded: what is rounded is P times the descale of the key's page (of
  // sparse_prefill: of the row and scale block), relative to the row's largest such product.
  bool weighted = false;
  // The unit in which such products are rounded follows the descale's power of two: none vanishes because of
  // another key's larger descale.
  bool unit_follows = false;
  bool sum_rounded = false; // the denominator sums rounded P
  // fp8 codes are made straight from scores, as a whole number of eighths of an octave: P is linear between powers of
  // two, and nothing below the least normal number is right (numerics/linear_fp8.hpp). The denominator sums the same P.
  bool linear = false;
  bool operator==(const ProbabilityRounding&) const = default;
};

// Kept: for an audit of the same rows, if they are not too many.
enum class ScoresOfRows : uint8_t { dropped, kept };

// Keys that nobody sees, whatever the mask says: what is left of a result when a part of it is lost.
struct HiddenKeys {
  int request = -1;        // none
  int first = 0, last = 0; // [first, last)
};

// The pools of append_prefill after the call.
struct Cache {
  Tensor k, v;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  virtual AttentionRows exact(const Problem&, const Tensors&, const std::vector<QueryRow>&, OracleInput,
                              HiddenKeys hidden = {}, ScoresOfRows scores = ScoresOfRows::dropped) const = 0;
  virtual AttentionRows plain(const Problem&, const Tensors&, const std::vector<QueryRow>&,
                              const ProbabilityRounding&) const = 0;
  // Noise of every row, and the audit's sums for two results on the same rows: `plain`, and `got` of a kernel
  // that rounds as `rounding` says. Elements that are not finite in one of the results are left out of its
  // sums. Without an LSE in `got` there are no sums of it.
  virtual AuditSums audit(const Problem&, const Tensors&, const AttentionRows& exact,
                          const ProbabilityRounding& rounding, const AttentionRows& plain,
                          const AttentionRows& got) const = 0;
  // For an operator that appends: copies of the pools with the chunk appended. The tensors' own stay as they are.
  virtual Cache cache_after(const Problem&, const Tensors&) const;

  virtual Visibility visibility(const Problem&, const Tensors&, QueryRow) const = 0;
  // `lengths` ascend. Keys are those of the row's request from the first on, or of its own in their order. There is
  // neither mask nor sink logit.
  virtual KeyPrefixes key_prefixes(const Problem&, const Tensors&, QueryRow, int head,
                                   const std::vector<int>& lengths) const = 0;
  // max |V|, dequantised, of all that is named.
  virtual double max_value(const Problem&, const Tensors&) const = 0;
};

// Asks the oracle of the problem's operator, after it has validated what it is given (but for visibilities, which are
// asked for by the million).
const Oracle& oracle();

} // namespace fmha950
