#pragma once
// What the judges of DESIGN.md section 7 look at: two results on the same rows, the truth, and what is known
// of a right result's noise.

#include "interface/oracle.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

struct Evidence {
  const Problem& problem;
  const Tensors& tensors;
  const AttentionRows& exact; // oracle on the dequantised inputs
  const AttentionRows& plain; // plain low-precision implementation
  const AttentionRows& got;   // the kernel, decoded; without an LSE where the problem wants none
  const AuditSums& audit;     // of plain and got
  ProbabilityRounding rounding;
  std::optional<double> max_value; // max |V|, dequantised; set for FP8 inputs, whose ceiling it scales
};

// What share of its limit a figure takes: infinite where either is NaN.
double share_of(double value, double limit);

// A figure of the kernel and what it may be at most.
struct Limit {
  std::string name; // docs/harness.md, "Accuracy"
  double value = 0;
  double limit = 0;
  std::string where;                            // of the value, in words
  bool holds() const { return value <= limit; } // a NaN does not hold
};

// The largest share of a limit that the kernel takes: 1 is the limit itself, 0 without limits.
double largest_share(const std::vector<Limit>& limits);
std::string describe(const Limit& limit); // "row 0.5 over its limit 0.25: request 0, query 3, head 1"

// Owners of the audit by place of a row and head in AttentionRows::lse.
class OwnerOfRow {
 public:
  explicit OwnerOfRow(const Evidence& evidence);
  const AuditOwner& operator[](size_t place) const { return *owners_[place]; }

 private:
  std::vector<const AuditOwner*> owners_;
};

// The largest relative error of rounding to the type: by as much all of a row may be wrong whose numbers are
// all rounded alike.
double coherent_share(ElementType type);

std::string describe_row(const Problem& problem, const std::vector<QueryRow>& rows, size_t place);

} // namespace fmha950::harness
