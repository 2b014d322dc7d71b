// Page tables of append_prefill: exactly as long as they have to be,
// and padded with what must not be looked at.
#include "harness/probe/append_form.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

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

} // namespace fmha950::harness
