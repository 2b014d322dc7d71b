#pragma once
// The audit's sums of the keys at the edges of what a row sees, hidden ones with the P they would have.

#include "impl_reference/audit/block.hpp"

namespace fmha950::reference::FMHA950_SIMD {

PartList audit_edges(const Gather& gather, std::span<const QueryHead> heads, const AuditRows& rows,
                     const AuditValues& values, const ProbabilityNoise& noise, const AuditInput& input,
                     int keys);

} // namespace fmha950::reference::FMHA950_SIMD
