// Page tables: exactly as long as they have to be, padded with what must not be looked at, and with ids and
// byte offsets that do not fit the widths they are tempted into.
#include "harness/probe/kv_form.hpp"
#include "harness/probe/page_values.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

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

std::vector<Probe> table_probes(const char* family, const char* reason, workload::TablePadding padding) {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms())
    probes.push_back(small_probe(fmt::format("{}/{}", family, text_of(form)), reason, three_requests(form),
                                 ValuesOfPage::constant, padding));
  return probes;
}

} // namespace

std::vector<Probe> exact_tables() {
  return table_probes(
      "exact_table",
      "the table ends where its memory ends: looking one entry past it faults; unused pages and "
      "slots are NaN",
      {0, 0});
}

std::vector<Probe> padded_tables() {
  // More than a tile of padding, also between the rows of a 2-D table.
  return table_probes(
      "padded_table",
      "a table's padding holds -1, the pool's size and 0x7fffffff in turn: using any of it faults", {96, 96});
}

namespace {

// Pages beside 2^n, for ids of n bits; `bytes` are those of a page, whose 2^31st and 2^32nd byte begin pages,
// too. The last page of the pool comes last.
std::vector<int32_t> edges(int64_t page_bytes, int64_t pool_pages) {
  std::vector<int32_t> pages;
  for (const int64_t edge : {int64_t{1} << 8, int64_t{1} << 15, int64_t{1} << 16,
                             (int64_t{1} << 31) / page_bytes, (int64_t{1} << 32) / page_bytes})
    for (const int64_t page : {edge - 1, edge, edge + 1}) pages.push_back(static_cast<int32_t>(page));
  pages.push_back(static_cast<int32_t>(pool_pages - 1));
  return pages;
}

} // namespace

std::vector<Probe> page_ids() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.page_size != 16 && form.page_size != 64) continue; // 2^20 and more pages of at least 2 KiB
    Problem problem = small_problem(form, {});
    problem.query_heads = 4;
    problem.kv_heads = 1;
    const int64_t page_bytes = stored_bytes(problem.kv_type, problem.page_elements());
    const int64_t pool_pages = (int64_t{1} << 32) / page_bytes + 1000;
    std::vector<int32_t> list = edges(page_bytes, pool_pages);
    const int keys = static_cast<int>(list.size()) * form.page_size - 3;
    problem.requests = {{40, keys}};
    problem.spare_pages = static_cast<int>(pool_pages);
    probes.push_back(
        small_probe(fmt::format("page_ids/{}", text_of(form)),
                    "ids around 2^8, 2^15, 2^16 and the pages around byte 2^31 and 2^32: an id or "
                    "offset cut to fewer bits meets another page, or poison",
                    problem, ValuesOfPage::constant, {0, 0}, {list}, pool_pages));
  }
  return probes;
}

} // namespace fmha950::harness
