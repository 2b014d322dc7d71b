// sparse_prefill: lists that end on, before and behind every boundary of tiles of 32 and of 64 rows, and
// heads that do not fill a workgroup.
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// 0, 1, and T - 1, T, T + 1, 2T and 2T + 1 for T = 32 and T = 64.
const std::vector<int> lengths_at_boundaries = {0, 1, 31, 32, 33, 63, 64, 65, 128, 129};

struct Lengths {
  const char* name;
  std::vector<int> prefix, extend; // of each token
};

// Lists that change from the pool to the chunk at each place of a tile, on its boundary, and beside it.
Lengths split_lengths() {
  Lengths lengths{"split", {}, {}};
  for (const int in_pool : {1, 16, 31, 32, 33, 50, 64, 65})
    for (const int all : {32, 33, 64, 65, 129})
      if (in_pool < all) {
        lengths.prefix.push_back(in_pool);
        lengths.extend.push_back(all - in_pool);
      }
  return lengths;
}

std::vector<Lengths> all_lengths() {
  const std::vector<int> none(lengths_at_boundaries.size(), 0);
  std::vector<int> falling = lengths_at_boundaries;
  std::ranges::reverse(falling);
  return {{"prefix", lengths_at_boundaries, none},
          {"extend", none, lengths_at_boundaries},
          {"opposite", lengths_at_boundaries, falling},
          split_lengths()};
}

} // namespace

std::vector<Probe> sparse_lengths() {
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    for (const Lengths& lengths : all_lengths()) {
      const ListedRows lists = scattered_lists(lengths.prefix, lengths.extend);
      probes.push_back(sparse_probe(fmt::format("sparse_lengths/{}/{}", lengths.name, text_of(form)),
                                    "lists around every boundary of tiles, the pool's rows ending inside of "
                                    "them: the tail of a tile must not count, nor its NaN rows leak",
                                    sparse_problem(form, lists), lists));
    }
  return probes;
}

std::vector<Probe> sparse_heads() {
  const ListedRows lists = scattered_lists({40, 0, 75}, {30, 5, 0});
  std::vector<Probe> probes;
  for (SparseForm form : sparse_forms()) {
    if (form.heads != 16) continue;
    for (const int heads : {32, 48, 80, 128, 144}) {
      form.heads = heads;
      probes.push_back(sparse_probe(fmt::format("sparse_heads/{}", text_of(form)),
                                    "heads that leave waves or a last workgroup without some: a row of Q, a "
                                    "score or an output of another head or token",
                                    sparse_problem(form, lists), lists));
    }
  }
  return probes;
}

} // namespace fmha950::harness
