#pragma once
// What the corpus's kernels compute, in plain C++; one function per kernel, of the same name.

#include "harness/mutation/corpus.hpp"

namespace fmha950::corpus_expectations {

using harness::CorpusProblem;
using harness::Words;

Words reduce_lds_tree(const Words& in, const CorpusProblem& problem);
Words reduce_wave(const Words& in, const CorpusProblem& problem); // one sum per 64 words
Words reduce_bpermute(const Words& in, const CorpusProblem& problem);
Words scan(const Words& in, const CorpusProblem& problem);
Words sort(const Words& in, const CorpusProblem& problem);
Words compact_odd(const Words& in, const CorpusProblem& problem);

Words tripled(const Words& in, const CorpusProblem& problem);
Words reversed_groups(const Words& in, const CorpusProblem& problem);
Words producer_consumer(const Words& in, const CorpusProblem& problem);
Words prefetch_registers(const Words& in, const CorpusProblem& problem);
Words transpose_lds(const Words& in, const CorpusProblem& problem);
Words transpose_read(const Words& in, const CorpusProblem& problem);
Words rotate_blocks(const Words& in, const CorpusProblem& problem);
Words paged_gather(const Words& in, const CorpusProblem& problem);
Words plus_one(const Words& in, const CorpusProblem& problem);
Words scratch_array(const Words& in, const CorpusProblem& problem);
Words flat_both(const Words& in, const CorpusProblem& problem);
Words scalar_pair(const Words& in, const CorpusProblem& problem);
Words neighbours(const Words& in, const CorpusProblem& problem);
Words many_loads(const Words& in, const CorpusProblem& problem);

Words gemm_nops(const Words& in, const CorpusProblem& problem);
Words gemm_lds(const Words& in, const CorpusProblem& problem);
Words softmax_row(const Words& in, const CorpusProblem& problem);
Words matrix_vector(const Words& in, const CorpusProblem& problem);
Words stencil_halo(const Words& in, const CorpusProblem& problem);
Words dot_product(const Words& in, const CorpusProblem& problem);
Words histogram(const Words& in, const CorpusProblem& problem);
Words global_counter(const Words& in, const CorpusProblem& problem);
Words last_group(const Words& in, const CorpusProblem& problem);
Words two_groups(const Words& in, const CorpusProblem& problem);
Words ping_pong_groups(const Words& in, const CorpusProblem& problem);

} // namespace fmha950::corpus_expectations
