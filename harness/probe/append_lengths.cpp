// Where the chunk of append_prefill begins and ends: in its pages, in the tiles of keys, among the queries of
// a workgroup.
#include "harness/probe/append_form.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

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

} // namespace fmha950::harness
