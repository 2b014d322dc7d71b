#include "harness/probe/families.hpp"

#include "harness/cases/name_filter.hpp"

#include <algorithm>
#include <iterator>

namespace fmha950::harness {

namespace {

// One probe of each family and quantisation or so: most mistakes show in any form of the cache.
bool of_common_form(const Probe& probe) {
  static const NameFilter form("/sglang/linear/page=(16|64)/quant=(none|tensor|page|mx)$");
  return form.finds(probe.name);
}

// Function-local, because registrations run before main in no known order.
std::vector<std::vector<Probe> (*)()>& registered_families() {
  static std::vector<std::vector<Probe> (*)()> families;
  return families;
}

} // namespace

RegisterProbes::RegisterProbes(std::vector<Probe> (*family)()) { registered_families().push_back(family); }

std::vector<Probe> all_probes() {
  std::vector<Probe> all, others;
  // The quickest to find something first: a mutant is dropped at its first failure.
  for (const auto family : {page_descales,
                            lengths,
                            masks,
                            sink_tokens,
                            scores,
                            large_scores,
                            exact_tables,
                            padded_tables,
                            empty_requests,
                            shared_pages,
                            uneven_lengths,
                            key_splits,
                            contiguous,
                            page_ids,
                            page_permutations,
                            sparse_scales,
                            sparse_lengths,
                            sparse_heads,
                            sparse_sinks,
                            sparse_rope,
                            sparse_scores,
                            sparse_exact_lists,
                            sparse_padded_lists,
                            sparse_empty_lists,
                            sparse_repeated_rows,
                            sparse_shared_rows,
                            sparse_uneven_lists,
                            sparse_row_ids,
                            append_lengths,
                            append_values,
                            append_heads,
                            append_scores,
                            append_tables,
                            append_many_tiles,
                            append_page_ids})
    for (Probe& probe : family()) (of_common_form(probe) ? all : others).push_back(std::move(probe));
  std::ranges::move(others, std::back_inserter(all));
  for (const auto family : registered_families()) std::ranges::move(family(), std::back_inserter(all));
  return all;
}

} // namespace fmha950::harness
