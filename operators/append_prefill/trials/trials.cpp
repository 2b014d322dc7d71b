#include "operators/append_prefill/trials/trials.hpp"

#include "harness/probe/families.hpp"

namespace fmha950::harness {
namespace {

// The quickest to find something first: a mutant is dropped at its first failure.
const RegisterProbes probes("append_prefill", {append_lengths, append_values, append_heads, append_scores,
                                               append_masks, append_rotary, append_tables, append_many_tiles,
                                               append_page_ids, append_batches});
const RegisterDefects defects("append_prefill", {wrong_appends, wrong_rotations});

} // namespace
} // namespace fmha950::harness
