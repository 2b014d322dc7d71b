// Numbers of parts, rows and columns around those that lanes, waves and workgroups have; layouts and bases.
#include "operators/merge/trials/merge_trial.hpp"
#include "operators/merge/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> merge_counts() {
  std::vector<Probe> probes;
  for (const auto& [name, types] : merge_types())
    for (const int parts : {1, 2, 3, 4, 5, 7, 8, 9, 33})
      probes.push_back(merge_probe(fmt::format("merge_counts/{}/parts={}", name, parts),
                                   "a last part that counts more than once or not at all",
                                   merge_problem({.parts = parts}, types)));
  probes.push_back(merge_probe(fmt::format("merge_counts/most/parts={}", most_parts),
                               "the places of the last of many parts",
                               merge_problem({.parts = most_parts, .heads = 1, .tokens = 3, .columns = 64})));
  return probes;
}

std::vector<Probe> merge_rows() {
  std::vector<Probe> probes;
  for (const auto& [heads, tokens] :
       {std::pair{1, 1}, {1, 3}, {1, 4}, {1, 5}, {3, 5}, {8, 2}, {5, 7}, {1, 17}, {7, 11}})
    for (const int columns : {64, 512})
      probes.push_back(
          merge_probe(fmt::format("merge_rows/h={}/n={}/d={}", heads, tokens, columns),
                      "rows past the last one, of another token or another head",
                      merge_problem({.parts = 5, .heads = heads, .tokens = tokens, .columns = columns})));
  return probes;
}

std::vector<Probe> merge_columns() {
  std::vector<Probe> probes;
  for (const auto& [name, types] : merge_types())
    for (const int columns : {8, 16, 24, 40, 64, 72, 128, 136, 192, 256, 264, 504, 512})
      probes.push_back(
          merge_probe(fmt::format("merge_columns/{}/d={}", name, columns),
                      "columns past a row's end, or columns that no lane has",
                      merge_problem({.parts = 3, .heads = 3, .tokens = 3, .columns = columns}, types)));
  return probes;
}

std::vector<Probe> merge_layouts() {
  std::vector<Probe> probes;
  for (const PartLayout layout : {PartLayout::parts, PartLayout::tokens, PartLayout::heads})
    for (const LseBase base : {LseBase::natural, LseBase::two}) {
      Problem problem = merge_problem({.parts = 6, .heads = 3, .tokens = 7, .columns = 128});
      MergeForm& form = *merge_form(problem);
      form.layout = layout;
      form.base = base;
      form.empty_percent = 20;
      probes.push_back(merge_probe(
          fmt::format("merge_layouts/{}/base={}", name_of(layout), name_of(base)),
          "parts, tokens or heads that are taken for each other, LSEs in the wrong base", problem));
    }
  return probes;
}

} // namespace fmha950::harness
