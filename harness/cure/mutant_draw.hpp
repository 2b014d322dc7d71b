#pragma once
// Which mutants are cured to see how much the search finds: those of the ledger that a report of an order killed, in an
// order drawn by their names, and pairs of them.

#include "harness/cure/mutant_cures.hpp"
#include "harness/mutation/ledger_pages.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

// Sorted by subject. `filter`: a regular expression that is found in "subject mutant"; `most`: so many as are drawn first; 0:
// all. `pairs`: two of one kernel at a time, each once; of a kernel's pairs every other one lies in one loop or around one
// barrier, as far as there are such. What the ledger has of other code than this build's is left out, and named on stderr.
std::vector<MutantCure> drawn_mutants(const std::string& filter, size_t most, bool pairs,
                                      const LedgerFolders& folders = ledger_folders());
// Leaves those that are drawn first, in the order of the draw.
void take_drawn(std::vector<MutantCure>& mutants, size_t most);

} // namespace fmha950::harness::cure
