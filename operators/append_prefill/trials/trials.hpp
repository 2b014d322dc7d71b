#pragma once
// What the harness tries of append_prefill: families of probes, one function each, in files by what they vary; and of defects.

#include "harness/probe/probe.hpp"
#include "harness/sabotage/defect.hpp"

namespace fmha950::harness {

std::vector<Probe> append_lengths();    // of the old tokens and the chunk, around every boundary
std::vector<Probe> append_heads();      // of every number for each KV head
std::vector<Probe> append_values();     // beyond what the cache's scale was made for
std::vector<Probe> append_scores();     // soft cap, sink logits, without a diagonal
std::vector<Probe> append_masks();      // windows, with sink tokens and without
std::vector<Probe> append_rotary();     // of Q and the chunk's K
std::vector<Probe> append_many_tiles(); // of old keys
std::vector<Probe> append_page_ids();   // whose bytes lie beyond 2^32
std::vector<Probe> append_batches();    // of 200 requests, each of which runs alone, too
std::vector<Probe> append_tables();     // that end where their memory ends, and padded ones

std::vector<Defect> wrong_appends(const SabotagedCase& of);
std::vector<Defect> wrong_rotations(const SabotagedCase& of);

} // namespace fmha950::harness
