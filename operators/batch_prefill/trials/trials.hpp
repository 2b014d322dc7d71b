#pragma once
// What the harness tries of batch_prefill: families of probes and of defects, one function each, in files by what they vary.

#include "harness/probe/probe.hpp"
#include "harness/sabotage/defect.hpp"

namespace fmha950::harness {

std::vector<Probe> page_permutations(); // of a 5000-page pool, 5 GB
std::vector<Probe> page_ids();          // that do not fit 8, 15, 16, 20 bits, and bytes past 2^31 and 2^32
std::vector<Probe> pool_places();       // across multiples of 2 and 4 GiB of the device's addresses
std::vector<Probe> exact_tables();      // that end where their memory ends
std::vector<Probe> padded_tables();     // padded with ids that no pool has
std::vector<Probe> page_descales();     // powers of ten apart
std::vector<Probe> lengths();           // around every tile and page boundary
std::vector<Probe> masks();             // diagonals and windows on and off tile boundaries
std::vector<Probe> sink_tokens();       // beside windows: sinks, gaps and windows on and off tile boundaries
std::vector<Probe> trees();             // on and off tile and page boundaries, beside windows and sinks
std::vector<Probe> scores();            // soft cap and sink logits
std::vector<Probe> large_scores();      // of millions, that differ by one
std::vector<Probe> empty_requests();    // in any position
std::vector<Probe> shared_pages();      // and repeated ones
std::vector<Probe> uneven_lengths();    // one long beside many short requests
std::vector<Probe> key_splits();        // parts that are empty, masked, or of little weight
std::vector<Probe> contiguous();        // K and V without paging
std::vector<Probe> batches();           // of 200 requests, each of which runs alone, too

std::vector<Defect> wrong_layouts(const SabotagedCase& of);
std::vector<Defect> wrong_trees(const SabotagedCase& of);

} // namespace fmha950::harness
