#include "operators/batch_prefill/trials/trials.hpp"

#include "harness/probe/families.hpp"

namespace fmha950::harness {
namespace {

// Every length, mask and quantisation, each once. Tables, layouts and page ids have nothing to do with the order of things.
constexpr std::string_view swept = "^(lengths|mask|uneven_lengths)/.*sglang/linear/page=16/";

// The quickest to find something first: a mutant is dropped at its first failure.
const RegisterProbes probes("batch_prefill",
                            {page_descales, lengths, masks, sink_tokens, trees, scores, large_scores,
                             exact_tables, padded_tables, empty_requests, shared_pages, uneven_lengths,
                             key_splits, contiguous, page_ids, page_permutations, pool_places, batches},
                            swept);
const RegisterDefects defects("batch_prefill", {wrong_layouts, wrong_trees});

} // namespace
} // namespace fmha950::harness
