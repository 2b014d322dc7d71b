#pragma once
// The audit's sums over all that rows see (interface/audit.hpp).

#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

AuditSums audit_of(const Gather& gather, const AuditInput& input);

} // namespace fmha950::reference::FMHA950_SIMD
