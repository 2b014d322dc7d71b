#pragma once
// The families of probes, one function each, in files by what they vary.
// A new family is a function and a line here and in families.cpp, or registers itself.

#include "harness/probe/probe.hpp"

namespace fmha950::harness {

std::vector<Probe> page_permutations(); // of a 5000-page pool, 5 GB
std::vector<Probe> page_ids();          // that do not fit 8, 15, 16, 20 bits, and bytes past 2^31 and 2^32
std::vector<Probe> exact_tables();      // that end where their memory ends
std::vector<Probe> padded_tables();     // padded with ids that no pool has
std::vector<Probe> page_descales();     // powers of ten apart
std::vector<Probe> lengths();           // around every tile and page boundary
std::vector<Probe> masks();             // diagonals and windows on and off tile boundaries
std::vector<Probe> sink_tokens();       // beside windows: sinks, gaps and windows on and off tile boundaries
std::vector<Probe> scores();            // soft cap and sink logits
std::vector<Probe> large_scores();      // of millions, that differ by one
std::vector<Probe> empty_requests();    // in any position
std::vector<Probe> shared_pages();      // and repeated ones
std::vector<Probe> uneven_lengths();    // one long beside many short requests
std::vector<Probe> key_splits();        // parts that are empty, masked, or of little weight
std::vector<Probe> contiguous();        // K and V without paging

// Probes of sparse_prefill.
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

// Probes of append_prefill.
std::vector<Probe> append_lengths();    // of the old tokens and the chunk, around every boundary
std::vector<Probe> append_heads();      // of every number for each KV head
std::vector<Probe> append_values();     // beyond what the cache's scale was made for
std::vector<Probe> append_scores();     // soft cap, sink logits, without a diagonal
std::vector<Probe> append_many_tiles(); // of old keys
std::vector<Probe> append_page_ids();   // whose bytes lie beyond 2^32
std::vector<Probe> append_tables();     // that end where their memory ends, and padded ones

// A family of an operator that has its probes in a folder of its own: an object of this type, made before main. Its
// probes stand behind those of all families above.
struct RegisterProbes {
  explicit RegisterProbes(std::vector<Probe> (*family)());
};

std::vector<Probe> all_probes();

} // namespace fmha950::harness
