// Page tables: exactly as long as they have to be, and padded with what must not be looked at.
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The last page of the first and the last request is partly used, that of the second is full; the last
// entries of the table are looked up in the middle of a tile of 64 keys.
Problem three_requests(const KvForm& form) {
  const int page = form.page_size;
  return small_problem(
      form, {{9, std::max(67, 2 * page + 1)}, {33, std::max(128, page)}, {7, std::max(65, 3 * page - 1)}});
}

std::vector<Probe> probes(const char* family, const char* reason, workload::TablePadding padding) {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms())
    probes.push_back(small_probe(fmt::format("{}/{}", family, text_of(form)), reason, three_requests(form),
                                 ValuesOfPage::constant, padding));
  return probes;
}

} // namespace

std::vector<Probe> exact_tables() {
  return probes("exact_table",
                "the table ends where its memory ends: looking one entry past it faults; unused pages and "
                "slots are NaN",
                {0, 0});
}

std::vector<Probe> padded_tables() {
  // More than a tile of padding, also between the rows of a 2-D table.
  return probes("padded_table",
                "a table's padding holds -1, the pool's size and 0x7fffffff in turn: using any of it faults",
                {96, 96});
}

} // namespace fmha950::harness
