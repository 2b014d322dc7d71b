#include "operators/sparse_prefill/trials/trials.hpp"

#include "harness/probe/families.hpp"

namespace fmha950::harness {
namespace {

// The quickest to find something first: a mutant is dropped at its first failure.
const RegisterProbes probes("sparse_prefill",
                            {sparse_scales, sparse_lengths, sparse_heads, sparse_sinks, sparse_rope,
                             sparse_scores, sparse_exact_lists, sparse_padded_lists, sparse_empty_lists,
                             sparse_repeated_rows, sparse_shared_rows, sparse_uneven_lists, sparse_row_ids},
                            "^sparse_(lengths|heads|uneven_lists)/");
const RegisterDefects defects("sparse_prefill", {wrong_lists});

} // namespace
} // namespace fmha950::harness
