#pragma once
// The forms of the KV cache that a family of small probes is made in.

#include "harness/probe/probe.hpp"

#include <optional>
#include <span>

namespace fmha950::harness {

struct KvForm {
  PageTable table;
  KvLayout layout;
  int page_size;
  Quantisation quantisation;
  std::optional<ElementType> queries =
      {}; // where they are not of the type of keys, which then are FP8; outputs as queries
  bool interleaved = false;
  bool mla = false;   // 192 columns in Q and K with 128 in V
  bool mxfp4 = false; // K and V, with queries in FP8
};

// Both tables, LINEAR and VECTORIZED, pages of 1, 16, 64 and 1024 tokens, and of 32 with SGLang's table and of 128
// with vLLM's; bf16 and FP8 under every quantisation; FP8 under queries in 16 bits, in a few of these. Pages
// of 48 and 80 tokens, which are no power of two, in a few, and so HND, K and V interleaved in one pool, 192 columns in Q and K,
// K and V in MXFP4.
std::vector<KvForm> kv_forms();
// "sglang/linear/page=16/quant=page", behind which "/q=bf16", "/interleaved", "/d=192:128" or "/kv=mxfp4" may stand: the tail of a probe's name
std::string text_of(const KvForm& form);

// A small problem of this form: two KV heads, two query heads each, causal, with LSE, and as many spare pages
// between the used ones as there are of these.
Problem small_problem(const KvForm& form, std::vector<Request> requests);

enum class ValuesOfPage : uint8_t { random, constant }; // constant: Probe.page_of_column

// A probe on `problem` whose pages are `lists` in a pool of `pool_pages`, or without lists pages in shuffled
// order. V is random where a page would not get a column of its own.
Probe small_probe(std::string name, std::string reason, const Problem& problem, ValuesOfPage values,
                  workload::TablePadding padding = {}, std::vector<std::vector<int32_t>> lists = {},
                  int64_t pool_pages = 0);

// n - 1, n, n + 1 around every 16, 32, 64, 128 and `page_size` tokens, ascending, each once: tiles of queries
// and keys are multiples of these.
std::vector<int> lengths_around_boundaries(int page_size);

} // namespace fmha950::harness
