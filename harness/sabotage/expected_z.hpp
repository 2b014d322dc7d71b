#pragma once
// What the judges would make of a defect, known before any kernel runs: from the reference, the defect and
// the noise model. The unit is that of the audit: how many sigmas are left of a part's share once floor and
// the plain implementation's own share are taken off. A part fails above 6, so 9 leaves a kernel's own noise
// three sigmas. A figure of the rows' judge counts 9 where it is twice its limit: then no noise that is
// within the limit can hide it.
//
// Inputs that count leave no noise but the rounding of the output, which is the same for all columns. There a
// defect counts as no more than what every rounding leaves of it: each element is moved to the nearest number
// of the output's type on the side of the right result.

#include "harness/judge/evidence.hpp"
#include "harness/sabotage/sabotage_ledger.hpp"

namespace fmha950::harness {

inline constexpr double certain_z = 9;

struct ExpectedZ {
  double z = 0;      // infinite: NaN, or bytes of a cache
  std::string judge; // that sees it best: "audit", or the name of a limit
  bool certain() const { return z >= certain_z; }
};

// `evidence.got` is the reference with the defect applied.
ExpectedZ expected_z(const Evidence& evidence);

// `wrong` with each element moved to the nearest number of that type on the side of the exact one.
AttentionRows rounded_back(AttentionRows wrong, const AttentionRows& exact, ElementType type);

// The verdict on a defect that has an effect, when the kernel's failure was noticed or not.
SabotageVerdict sabotage_verdict(const ExpectedZ& expected, bool noticed);

} // namespace fmha950::harness
