#pragma once
// The first judge: whether there is something to judge at all. A reference that is not finite, or fewer
// elements than there should be, is the harness's own fault and never a pass; NaN, Inf and elements that were
// never written are the kernel's, each under its own name.

#include "harness/judge/evidence.hpp"
#include "harness/judge/metrics.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace fmha950::harness {

// Becomes `not_run`; the text begins with "oracle: ".
class OracleUnsound : public std::runtime_error {
 public:
  explicit OracleUnsound(const std::string& what) : std::runtime_error("oracle: " + what) {}
};

// Throws OracleUnsound unless `rows` holds as many finite outputs (and LSEs: finite, or -inf in rows
// that see nothing) as the problem has for so many rows. `who` is for the text.
void require_sound(const Problem& problem, size_t query_rows, const AttentionRows& rows, bool with_lse,
                   std::string_view who);

// Throws OracleUnsound unless the kernel's rows are those of the reference, at least one if the problem has
// any, and the noise of each is known. What they hold is for the judges.
void require_all_compared(const Evidence& evidence);

// As find_defects, but -inf is a legal LSE (a row that sees nothing); the rows' judge looks at it.
Defects find_lse_defects(std::span<const double> got, std::span<const uint8_t> untouched);

// "output: 3 untouched, 0 NaN, 1 Inf, first at element 17"
std::string describe(const Defects& defects, std::string_view what);

} // namespace fmha950::harness
