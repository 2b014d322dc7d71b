// Pools that lie across multiples of 2 and 4 GiB of the device's addresses. Bits must be the same whether the carry of a
// buffer's address counts or not (harness/probe/carry_bits.hpp).
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr uint64_t gib = uint64_t{1} << 30;
constexpr const char* reason_of_places =
    "a multiple of 2 or 4 GiB lies inside the pool: an address made from a base and an "
    "offset of 32 bits, without the carry or with a sign, is another one";

uint64_t bytes_of_page(const Problem& problem) {
  return static_cast<uint64_t>(stored_bytes(problem.kv_type, problem.page_elements()));
}

enum class Where { in_page, between_pages };

// From page to page of a pool, in which another page may lie between them.
uint64_t stride_of_page(const Problem& problem) {
  return (problem.interleaved ? 2 : 1) * bytes_of_page(problem);
}

// Used pages alternate with spare ones. The multiple lies in the middle of the middle used page, or in front of it.
Probe small_pool(const KvForm& form, uint64_t line, Where where) {
  const int pages = std::max(3, 192 / form.page_size) | 1, middle = pages / 2;
  std::vector<int32_t> list;
  for (int p = 0; p < pages; ++p) list.push_back(2 * p + 1);
  const Problem problem = small_problem(form, {{40, pages * form.page_size}});
  const uint64_t page_bytes = bytes_of_page(problem);
  const uint64_t before = static_cast<uint64_t>(list[middle]) * stride_of_page(problem);
  Probe probe = small_probe(fmt::format("pool_place/{}GiB/{}/{}", line / gib,
                                        where == Where::in_page ? "in_page" : "between_pages", text_of(form)),
                            reason_of_places, problem, ValuesOfPage::constant, {}, {list}, 2 * pages + 1);
  probe.pool_place = {line, before + (where == Where::in_page ? page_bytes / 2 : 0)};
  return probe;
}

// Three multiples of 4 GiB lie inside, each in the middle of a used page, between used pages.
Probe large_pool(const KvForm& form) {
  Problem problem = small_problem(form, {});
  problem.query_heads = 4;
  problem.kv_heads = 1;
  const uint64_t stride = stride_of_page(problem), pool_pages = 12 * gib / stride;
  const uint64_t before = gib + bytes_of_page(problem) / 2;
  std::vector<int32_t> list = {0};
  for (uint64_t line = before; line < 12 * gib; line += 4 * gib)
    for (const uint64_t page : {line / stride - 1, line / stride, line / stride + 1})
      list.push_back(static_cast<int32_t>(page));
  list.push_back(static_cast<int32_t>(pool_pages - 1));
  problem.requests = {{40, static_cast<int>(list.size()) * form.page_size - 3}};
  problem.spare_pages = static_cast<int>(pool_pages - list.size());
  Probe probe = small_probe(fmt::format("pool_place/4GiB/12GiB_pool/{}", text_of(form)), reason_of_places,
                            problem, ValuesOfPage::constant, {}, {list}, static_cast<int64_t>(pool_pages));
  probe.pool_place = {4 * gib, before};
  return probe;
}

} // namespace

std::vector<Probe> pool_places() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    probes.push_back(small_pool(form, 4 * gib, Where::in_page));
    if (form.page_size >= 16) probes.push_back(small_pool(form, 2 * gib, Where::in_page));
    if (form.page_size >= 64) probes.push_back(small_pool(form, 4 * gib, Where::between_pages));
    if (form.page_size == 16 || form.page_size == 64) probes.push_back(large_pool(form));
  }
  KvForm consecutive = {PageTable::sglang, KvLayout::linear, 16, Quantisation::per_tensor};
  Problem problem = small_problem(consecutive, {{40, 300}, {7, 100}});
  problem.paged = false;
  Probe contiguous = small_probe("pool_place/4GiB/contiguous/" + text_of(consecutive), reason_of_places,
                                 problem, ValuesOfPage::constant);
  contiguous.pool_place = {4 * gib, 7 * bytes_of_page(problem) + bytes_of_page(problem) / 2};
  probes.push_back(contiguous);
  return probes;
}

} // namespace fmha950::harness
