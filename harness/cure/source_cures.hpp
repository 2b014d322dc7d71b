#pragma once
// Source mutants whose protection is no wait or barrier: a bound, a mask or a factor is missing, and no order can make up for
// it. Whoever cures one is wrong (docs/cures.md).

#include "harness/cure/mutant_cures.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/probe.hpp"

#include <set>

namespace fmha950::harness::cure {

// Protections that are waits or barriers, or the order of operations that a wait's count rests on: data/cures/order_protections.txt.
std::set<std::string> order_protections();

// On one probe. Where nothing of severity error is reported, the values alone are wrong; where these are right, too, the verdict is
// "no error".
MutantCure cure_source_mutant(const SourceMutant& mutant, const Probe& probe, const SearchLimits& limits);
// Those of the ledger that a probe killed, each on that probe, as cure_mutants does (`pairs` is not looked at). Throws InvalidInput where mutants are not built.
std::vector<MutantCure> cure_source_mutants(const MutantCureOptions& options,
                                            const std::vector<MutantCure>& known);

} // namespace fmha950::harness::cure
