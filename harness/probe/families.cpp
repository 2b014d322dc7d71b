#include "harness/probe/families.hpp"

#include <iterator>

namespace fmha950::harness {

std::vector<Probe> all_probes() {
  std::vector<Probe> all;
  // The quickest to find something first: a mutant is dropped at its first failure.
  for (const auto family : {page_ids, page_descales, lengths, masks, scores, exact_tables, padded_tables,
                            empty_requests, shared_pages, uneven_lengths, key_splits, page_permutations})
    std::ranges::move(family(), std::back_inserter(all));
  return all;
}

} // namespace fmha950::harness
