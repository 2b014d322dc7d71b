// The list of the corpus: kernel, code object, problems of 1 to 4 workgroups, verdict.
#include "tests/corpus/expectations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>

namespace fmha950::harness {

namespace {

namespace expect = corpus_expectations;

Words random_words(const CorpusProblem& problem) {
  std::mt19937 random(problem.n * 31 + problem.workgroups);
  Words words(problem.n);
  for (uint32_t& word : words) word = static_cast<uint32_t>(random());
  return words;
}
// Of two workgroups, the first's first wave has no odd word: it goes past what only lanes with one do.
Words odd_but_for_a_wave(const CorpusProblem& problem) {
  Words words = random_words(problem);
  if (problem.workgroups == 2)
    for (size_t i = 0; i < 64; ++i) words[i] &= ~1u;
  return words;
}
// Two small whole numbers as halves per word: their products and sums are exact in fp16 and fp32.
Words small_halves(const CorpusProblem& problem) {
  Words words = random_words(problem);
  const auto half = [](uint32_t bits) {
    return uint32_t{std::bit_cast<uint16_t>(static_cast<_Float16>(static_cast<int>(bits % 9) - 4))};
  };
  for (uint32_t& word : words) word = half(word & 0xFF) | half(word >> 8 & 0xFF) << 16;
  return words;
}
Words floats(const CorpusProblem& problem) { // -4 to 4
  Words words = random_words(problem);
  for (uint32_t& word : words) word = std::bit_cast<uint32_t>(static_cast<float>(word % 8192) / 1024.f - 4.f);
  return words;
}
Words table_and_pool(const CorpusProblem& problem) { // one page more than the table names
  const uint32_t pages = (problem.n / 16 + 7) / 8;
  Words words(pages);
  std::iota(words.begin(), words.end(), 1u);
  std::reverse(words.begin(), words.end());
  const Words pool = random_words({(pages + 1) * 128, problem.workgroups});
  words.insert(words.end(), pool.begin(), pool.end());
  return words;
}

const char* const reductions = "corpus_reductions";
const char* const copies = "corpus_copies";
const char* const compute = "corpus_compute";
const char* const misses = "corpus_misses";

using Problems = std::vector<CorpusProblem>;

CorpusKernel clean(const char* name, const char* code_object, uint32_t threads,
                   decltype(CorpusKernel::expected) expected, Problems problems,
                   decltype(CorpusKernel::input) input = random_words) {
  CorpusKernel kernel;
  kernel.name = name;
  kernel.code_object = code_object;
  kernel.threads = threads;
  kernel.input = input;
  kernel.expected = expected;
  kernel.problems = std::move(problems);
  kernel.verdict = "clean";
  return kernel;
}
CorpusKernel with_tolerance(CorpusKernel kernel, double tolerance) {
  kernel.tolerance = tolerance;
  return kernel;
}
CorpusKernel with_unwritten(CorpusKernel kernel, uint32_t words) {
  kernel.never_written = words;
  return kernel;
}
CorpusKernel miss(const char* name, uint32_t threads, const char* hazard) {
  CorpusKernel kernel = clean(name, misses, threads, nullptr, {{threads, 1}});
  kernel.verdict = hazard;
  kernel.output_words = threads;
  return kernel;
}

const CorpusKernel kernels[] = {
    clean("reduce_lds_tree", reductions, 256, expect::reduce_lds_tree, {{256, 1}, {1024, 4}}),
    clean("reduce_dpp", reductions, 64, expect::reduce_wave, {{64, 1}, {128, 2}}),
    clean("reduce_swizzle", reductions, 64, expect::reduce_wave, {{64, 1}, {128, 2}}),
    clean("reduce_bpermute", reductions, 64, expect::reduce_bpermute, {{64, 1}, {192, 3}}),
    clean("scan_hillis_steele", reductions, 256, expect::scan, {{256, 1}, {512, 2}}),
    clean("scan_waves", reductions, 256, expect::scan, {{256, 1}, {512, 2}}),
    clean("sort_bitonic", reductions, 256, expect::sort, {{256, 1}, {512, 2}}),
    clean("compact_odd", reductions, 256, expect::compact_odd, {{256, 1}, {768, 3}, {512, 2}},
          odd_but_for_a_wave),
    clean("ping_pong_buffer_lds", copies, 64, expect::tripled, {{64, 1}, {320, 1}}),
    clean("ping_pong_global_lds", copies, 256, expect::reversed_groups, {{256, 1}, {1280, 1}}),
    clean("producer_consumer", copies, 256, expect::producer_consumer, {{256, 1}, {1280, 1}, {100, 1}}),
    clean("prefetch_registers", copies, 64, expect::prefetch_registers, {{256, 1}, {512, 2}}),
    clean("transpose_lds", copies, 256, expect::transpose_lds, {{1024, 1}, {2048, 2}}),
    clean("transpose_read", copies, 64, expect::transpose_read, {{128, 1}, {256, 2}}),
    clean("rotate_blocks", copies, 256, expect::rotate_blocks, {{1024, 1}, {2048, 2}}),
    clean("paged_gather", copies, 64, expect::paged_gather, {{96, 1}, {400, 4}}, table_and_pool),
    clean("masked_tail", copies, 64, expect::plus_one, {{1, 1}, {64, 1}, {101, 2}}),
    clean("scratch_array", copies, 64, expect::scratch_array, {{1024, 1}}),
    clean("flat_both", copies, 64, expect::flat_both, {{64, 1}}),
    clean("scalar_pair", copies, 64, expect::scalar_pair, {{4, 1}, {12, 3}}),
    clean("own_lds_in_order", copies, 64, expect::neighbours, {{64, 1}, {128, 2}}),
    clean("many_loads", copies, 64, expect::many_loads, {{80 * 64, 1}, {79 * 64 + 5, 1}}),
    with_unwritten(clean("unused_slots", copies, 64, expect::plus_one, {{40, 1}}), 24),
    clean("gemm_nops", compute, 64, expect::gemm_nops, {{256, 1}, {512, 2}}, small_halves),
    clean("gemm_lds", compute, 64, expect::gemm_lds, {{256, 1}, {1024, 1}}, small_halves),
    with_tolerance(clean("softmax_row", compute, 128, expect::softmax_row, {{128, 1}, {256, 2}}, floats),
                   1e-5),
    clean("matrix_vector", compute, 256, expect::matrix_vector, {{64 * 12, 2}, {64 * 18, 2}}),
    clean("stencil_halo", compute, 256, expect::stencil_halo, {{1, 1}, {256, 1}, {600, 3}}),
    clean("dot_product", compute, 256, expect::dot_product, {{600, 2}, {2048, 2}}),
    clean("histogram", compute, 256, expect::histogram, {{100, 2}, {2000, 2}}),
    clean("global_counter", compute, 128, expect::global_counter, {{128, 1}, {512, 4}}),
    clean("last_group", compute, 64, expect::last_group, {{64, 1}, {256, 4}}),
    clean("two_groups", compute, 256, expect::two_groups, {{256, 1}, {512, 2}}),
    clean("ping_pong_groups", compute, 128, expect::ping_pong_groups, {{128, 1}, {256, 2}}),
    miss("dma_without_wait", 128, "lds_order"),
    miss("overwritten_in_flight", 64, "register_in_flight"),
    miss("two_writers", 128, "lds_order"),
    miss("scalar_out_of_order", 64, "register_in_flight"),
    miss("uninitialised_address", 64, "uninitialised"),
    miss("missing_nop", 64, "wait_states"),
    miss("diverged_barrier", 128, "barrier_divergence"),
    miss("runaway_loop", 64, "runaway"),
    miss("past_the_end", 64, "out_of_bounds"),
};

const bool registered = (register_corpus(kernels), true);

} // namespace

} // namespace fmha950::harness
