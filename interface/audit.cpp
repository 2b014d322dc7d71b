#include "interface/audit.hpp"

#include <cmath>

namespace fmha950 {

double AuditOwner::rows_alike() const {
  if (erring_rows == 0) return 1;
  double square = 0;
  for (const double element : sum_of_errors) square += element * element;
  // For rows that have nothing in common the ratio is chi-squared over its degrees of freedom, the columns.
  const double alike = square / erring_rows,
               chance = 4 * std::sqrt(2 / static_cast<double>(sum_of_errors.size()));
  return alike > 1 + chance ? alike : 1;
}

} // namespace fmha950
