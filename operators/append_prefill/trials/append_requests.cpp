// Which tokens, heads and pages a chunk of append_prefill has: lengths around every boundary, numbers of heads,
// tables as long as they have to be or padded, pages far away.
#include "harness/probe/kv_form.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

// Where the chunk begins and ends: in its pages, in the tiles of keys, among the queries of a workgroup.
std::vector<Probe> append_lengths() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    std::vector<Request> old = {{3, 3}, {0, 70}, {90, 90}, {0, 0}}, chunks;
    for (const int length : lengths_around_boundaries(form.page_size)) {
      old.push_back({3, length + 3});
      chunks.push_back({length, length + 5});
    }
    probes.push_back(small_probe(fmt::format("append_lengths/old/{}", text_of(form)),
                                 "the chunk begins anywhere in a page and a tile: at a wrong position, or a "
                                 "tile that is part old is read as if it were not",
                                 append_problem(form, old), ValuesOfPage::random));
    probes.push_back(small_probe(fmt::format("append_lengths/chunk/{}", text_of(form)),
                                 "chunks of any length: the last tokens are not appended, or more than those "
                                 "are read",
                                 append_problem(form, chunks), ValuesOfPage::random));
  }
  return probes;
}

std::vector<Probe> append_many_tiles() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    if (form.table == PageTable::vllm) continue; // which knows nothing of tiles
    probes.push_back(small_probe(fmt::format("append_many_tiles/{}", text_of(form)),
                                 "more tiles of old keys than a wave has lanes to keep their pages in",
                                 append_problem(form, {{2, 4096 + 131}, {3, 64}}), ValuesOfPage::random));
  }
  return probes;
}

// Which workgroup appends which tokens and heads: query heads of a KV head that do and do not divide the rows
// of a tile, and that are more than those.
std::vector<Probe> append_heads() {
  struct Heads {
    int query, kv;
  };
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    if (form.table == PageTable::vllm) continue;
    for (const Heads heads : {Heads{12, 3}, Heads{9, 3}, Heads{5, 5}, Heads{130, 1}}) {
      Problem problem = append_problem(form, {{50, 61}, {1, 40}, {7, 7}});
      problem.query_heads = heads.query;
      problem.kv_heads = heads.kv;
      probes.push_back(small_probe(fmt::format("append_heads/{}:{}/{}", heads.query, heads.kv, text_of(form)),
                                   "a token of some head is appended to another head, or by no workgroup",
                                   problem, ValuesOfPage::random));
    }
  }
  return probes;
}

// Exactly as long as they have to be, and padded with what must not be looked at.
std::vector<Probe> append_tables() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    // The chunk ends inside a page, at the end of one, and begins with the last one.
    const int page = form.page_size;
    const Problem problem = append_problem(
        form, {{9, std::max(67, 2 * page + 1)}, {33, std::max(128, page)}, {1, std::max(65, 2 * page + 1)}});
    probes.push_back(small_probe(fmt::format("append_tables/exact/{}", text_of(form)),
                                 "the table ends where its memory ends: looking one entry past it faults",
                                 problem, ValuesOfPage::random, {0, 0}));
    probes.push_back(small_probe(fmt::format("append_tables/padded/{}", text_of(form)),
                                 "a table's padding holds ids that no pool has: using any of it faults",
                                 problem, ValuesOfPage::random, {96, 96}));
  }
  return probes;
}

// Pages beyond byte 2^32 of a pool.
std::vector<Probe> append_page_ids() {
  const AppendForm form = {PageTable::sglang, 1024, ElementType::bf16, 128};
  Problem problem = append_problem(form, {{9, 1030}, {5, 5}});
  problem.query_heads = problem.kv_heads = 8; // a page is 1 MiB
  constexpr int64_t pool_pages = 5000;
  // Page 1 is page 4097 modulo 2^32 bytes.
  return {
      small_probe(fmt::format("append_page_ids/{}", text_of(form)),
                  "a page's place in the pool that does not fit 32 bits, where it is read and where it is "
                  "written",
                  problem, ValuesOfPage::random, {}, {{4097, 1}, {4999}}, pool_pages)};
}

} // namespace fmha950::harness
