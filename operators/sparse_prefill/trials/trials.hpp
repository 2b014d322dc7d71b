#pragma once
// What the harness tries of sparse_prefill: families of probes, one function each, in files by what they vary; and of defects.

#include "harness/probe/probe.hpp"
#include "harness/sabotage/defect.hpp"

namespace fmha950::harness {

std::vector<Probe> sparse_lengths();       // around every boundary of tiles, in pool, chunk and both
std::vector<Probe> sparse_heads();         // that leave waves and workgroups without some
std::vector<Probe> sparse_exact_lists();   // that end where their memory ends
std::vector<Probe> sparse_padded_lists();  // padded with ids that no source has
std::vector<Probe> sparse_empty_lists();   // of some tokens or all, and sources without rows
std::vector<Probe> sparse_repeated_rows(); // in one list
std::vector<Probe> sparse_shared_rows();   // in the lists of all tokens
std::vector<Probe> sparse_uneven_lists();  // one with all rows between short ones
std::vector<Probe> sparse_row_ids();       // around 2^8 and 2^16, and bytes past 2^31 and 2^32
std::vector<Probe> sparse_scales();        // far apart by row and by column
std::vector<Probe> sparse_rope();          // of another size than NOPE
std::vector<Probe> sparse_sinks();         // far above and below scores, another for each head
std::vector<Probe> sparse_scores();        // that rise and fall from tile to tile

std::vector<Defect> wrong_lists(const SabotagedCase& of);

} // namespace fmha950::harness
