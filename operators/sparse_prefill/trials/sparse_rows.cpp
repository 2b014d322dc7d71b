// sparse_prefill: lists that are nothing like each other, and rows that are listed more than once.
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

using Lists = std::vector<std::vector<int32_t>>;

} // namespace

std::vector<Probe> sparse_repeated_rows() {
  // One row only, longer than a tile; twice each; once between others; the same ids in pool and chunk.
  Lists prefix = {std::vector<int32_t>(70, 5), {}, {9, 2, 30, 9}, {7, 8}, {}};
  for (int i = 0; i < 40; ++i) prefix[1].push_back(static_cast<int32_t>(2 + i / 2 % 4));
  const Lists extend = {{}, {3}, {9, 9}, {8, 7}, std::vector<int32_t>(33, 11)};
  const ListedRows lists{{prefix}, {extend}, 40, 20};
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    probes.push_back(sparse_one_hot_probe(fmt::format("sparse_repeated_rows/{}", text_of(form)),
                                          "a row counts as often as it is listed, and the same id is another "
                                          "row in pool and chunk",
                                          sparse_problem(form, lists), lists));
  return probes;
}

std::vector<Probe> sparse_shared_rows() {
  // Every token lists row 7 of the pool and row 4 of the chunk, in another place of its list.
  ListedRows lists{{}, {}, 40, 20};
  for (int token = 0; token < 20; ++token) {
    std::vector<int32_t> prefix(static_cast<size_t>(token % 7 + 1), static_cast<int32_t>(8 + token));
    std::vector<int32_t> extend(static_cast<size_t>(token % 3 + 1), static_cast<int32_t>(5 + token % 8));
    prefix[static_cast<size_t>(token) % prefix.size()] = 7;
    extend[static_cast<size_t>(token) % extend.size()] = 4;
    lists.prefix.of_token.push_back(prefix);
    lists.extend.of_token.push_back(extend);
  }
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    probes.push_back(
        sparse_one_hot_probe(fmt::format("sparse_shared_rows/{}", text_of(form)),
                             "a row that all tokens list, dequantised once or often, is the same "
                             "to all",
                             sparse_problem(form, lists), lists));
  return probes;
}

std::vector<Probe> sparse_uneven_lists() {
  // One token lists nearly all rows, more than 7/8 of them, between tokens with few and with none.
  ListedRows lists{{}, {}, 202, 132};
  for (int token = 0; token < 20; ++token) {
    const bool all = token == 8;
    lists.prefix.of_token.push_back(scattered_rows(all ? 200 : token % 4, token, lists.pool_rows));
    lists.extend.of_token.push_back(scattered_rows(all ? 130 : token % 3, token, lists.chunk_rows));
  }
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    probes.push_back(sparse_probe(fmt::format("sparse_uneven_lists/{}", text_of(form)),
                                  "one token with all rows between tokens with few and none: work sized or "
                                  "indexed by the longest or the mean goes astray",
                                  sparse_problem(form, lists), lists));
  return probes;
}

} // namespace fmha950::harness
