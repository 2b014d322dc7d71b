// sparse_prefill's lists in memory: exactly as long as they have to be, padded with what must not be looked
// at, and without entries.
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

struct ListLengths {
  const char* name;
  std::vector<int> prefix, extend; // of each token
};

ListedRows without_pool(ListedRows lists) { return lists.pool_rows = 0, lists; }
ListedRows without_chunk(ListedRows lists) { return lists.chunk_rows = 0, lists; }

} // namespace

std::vector<Probe> sparse_exact_lists() {
  const std::vector<ListLengths> all = {
      {"last_tile", {40, 0, 33}, {3, 70, 5}}, // what is looked up ahead lies behind the end
      {"empty_end", {20, 0, 0}, {7, 9, 0}},   // the last token's list begins where memory ends
      {"one_row", {1}, {0}},
  };
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    for (const ListLengths& lengths : all) {
      const ListedRows lists = scattered_lists(lengths.prefix, lengths.extend);
      probes.push_back(
          altered_sparse_probe(fmt::format("sparse_exact_list/{}/{}", lengths.name, text_of(form)),
                               "lists and indptr end where their memory ends: looking one entry past them "
                               "faults",
                               sparse_problem(form, lists), lists,
                               [](operators::SparseChoices& choices) { choices.padding = 0; }));
    }
  return probes;
}

std::vector<Probe> sparse_padded_lists() {
  const ListedRows lists = scattered_lists({40, 0, 33}, {3, 70, 5});
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    probes.push_back(
        altered_sparse_probe(fmt::format("sparse_padded_list/{}", text_of(form)),
                             "behind the lists are -1, the number of rows and 0x7fffffff in turn: using any "
                             "of it faults",
                             sparse_problem(form, lists), lists,
                             // More than two tiles.
                             [](operators::SparseChoices& choices) { choices.padding = 150; }));
  return probes;
}

std::vector<Probe> sparse_empty_lists() {
  struct Batch {
    const char* name;
    ListedRows lists;
  };
  const std::vector<Batch> batches = {
      {"some", scattered_lists({0, 40, 0, 7, 0, 0}, {0, 20, 33, 0, 0, 0})},
      {"all", scattered_lists({0, 0, 0}, {0, 0, 0})},
      {"no_pool", without_pool(scattered_lists({0, 0, 0, 0}, {33, 0, 7, 0}))},
      {"no_chunk", without_chunk(scattered_lists({33, 0, 7, 0}, {0, 0, 0, 0}))},
      {"no_rows", without_pool(without_chunk(scattered_lists({0, 0}, {0, 0})))},
  };
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    for (const Batch& batch : batches)
      for (const bool sink : {false, true}) {
        Problem problem = sparse_problem(form, batch.lists);
        problem.sink_logit = sink;
        probes.push_back(altered_sparse_probe(
            fmt::format("sparse_empty/{}/{}{}", batch.name, sink ? "sink/" : "", text_of(form)),
            "a token without rows gives zeros and the LSE of its sink, -inf without one, and does "
            "not shift its neighbours",
            problem, batch.lists, [](operators::SparseChoices& choices) { choices.padding = 0; }));
      }
  return probes;
}

} // namespace fmha950::harness
