// Pages of a 5000-page pool of 1024-token pages with 8 KV heads of 128 FP8 columns: 1 MiB each, so that page
// 2048 begins at byte 2^31 and page 4096 at byte 2^32 of a 5 GB pool.
#include "harness/probe/page_values.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/ranges.h>
#include <map>

namespace fmha950::harness {

namespace {

constexpr int pool_pages = 5000;
constexpr int page_size = 1024;
constexpr int unused_slots = 24; // of the last page: with a causal mask the order of pages is visible

struct Row {
  const char* kind;
  std::vector<int32_t> pages;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"single", {0}},
      {"single", {2047}},
      {"single", {2048}},
      {"single", {4095}},
      {"single", {4096}},
      {"single", {4097}},
      {"single", {4098}},
      {"single", {4099}},
      {"single", {4999}},
      {"duplicate", {0, 0}},
      {"duplicate", {2048, 2048}},
      {"duplicate", {4096, 4096}},
      {"duplicate", {4097, 4097, 4097}},
      {"even_first", {2, 3}},
      {"even_first", {2048, 2049}},
      {"even_first", {4096, 4097}},
      {"even_first", {4098, 4099}},
      {"odd_first", {1, 2}},
      {"odd_first", {2047, 2048}},
      {"odd_first", {4095, 4096}},
      {"odd_first", {4097, 4098}},
      {"descending", {4097, 4096}},
      {"descending", {2048, 2047}},
      {"gapped", {4096, 4098}},
      {"gapped", {2046, 2048}},
      {"gapped", {4095, 4097}},
      {"gapped", {0, 4999}},
      {"crossing", {2047, 2048, 2049}},
      {"crossing", {4095, 4096, 4097}},
      {"aliased", {0, 4096}},    // equal modulo 2^32 bytes
      {"aliased", {2, 2050}},    // equal modulo 2^31 bytes
      {"aliased", {4098, 2, 1}}, // another, after it and before it
  };
  return all;
}

// Every page of a row and those that it becomes when its offset loses bits 31 or 32, ascending.
const std::vector<int32_t>& family_pages() {
  static const std::vector<int32_t> pages = {0,    1,    2,    3,    2046, 2047, 2048, 2049,
                                             2050, 4095, 4096, 4097, 4098, 4099, 4999};
  return pages;
}

// Pages of the family that are a bit of the offset or one page away from a page of the row. They hold values,
// too, so that a wrong one is seen for what it is.
std::vector<int32_t> mistakable_pages(const std::vector<int32_t>& row) {
  std::vector<int32_t> mistakable;
  for (const int32_t page : family_pages())
    if (std::ranges::any_of(
            row, [&](int32_t named) { return page % 2048 == named % 2048 || std::abs(page - named) == 1; }))
      mistakable.push_back(page);
  return mistakable;
}

// The descales of any two pages are a factor of 2 apart; K's grow with the page, V's fall. With V constant
// they are nearly powers of two: weights read plainly, but V = 1.002 is no bf16 number, or plain attention
// would make no error at all on a page alone, and nothing could be compared with that.
float page_descale(int32_t page, bool is_value, bool constant_v) {
  const auto& pages = family_pages();
  const auto place = std::ranges::find(pages, page) - pages.begin();
  const auto rank =
      static_cast<int>(is_value ? static_cast<std::ptrdiff_t>(pages.size()) - 1 - place : place);
  return std::ldexp(constant_v ? 1.002f : 0.9f, rank - 6); // 4.6 / 0.9 * 2^6 fits 448
}

Problem problem_of(const std::vector<int32_t>& pages) {
  Problem problem;
  problem.query_heads = 32;
  problem.kv_heads = 8;
  problem.query_type = problem.kv_type = ElementType::fp8;
  problem.quantisation = Quantisation::page;
  problem.page_size = page_size;
  problem.causal = problem.lse = true;
  problem.requests = {{64, static_cast<int>(pages.size()) * page_size - unused_slots}};
  problem.spare_pages = pool_pages - static_cast<int>(pages.size());
  return problem;
}

Probe probe_of(const Row& row, bool constant_v) {
  const Problem problem = problem_of(row.pages);
  workload::PageAssignment pages = workload::assign_given_pages(problem, {row.pages}, pool_pages);
  if (constant_v) workload::fill_unnamed_pages(problem, mistakable_pages(row.pages), pages);
  const std::vector<int32_t> columns =
      constant_v ? columns_of_pages(family_pages(), problem.head_dim) : std::vector<int32_t>{};
  return {.name = fmt::format("page_permutation/{}/{}/{}", row.kind, fmt::join(row.pages, ","),
                              constant_v ? "constant_v" : "random_v"),
          .reason = "pages of a 5 GB pool, their descales factors of 2 apart: a wrong page, order or descale "
                    "shows, and with constant V which page came instead",
          .problem = problem,
          .choices =
              [=] {
                return operators::Choices{.pages = pages,
                                          .values = std::make_shared<PageValues>(problem, pages, columns),
                                          .padding = {0, 0},
                                          .page_descale = [constant_v](int32_t page, int, bool is_value) {
                                            return page_descale(page, is_value, constant_v);
                                          }};
              },
          .page_of_column = columns,
          .alone = {}};
}

} // namespace

std::vector<Probe> page_permutations() {
  std::map<int32_t, std::shared_ptr<const Probe>> alone;
  for (const int32_t page : family_pages())
    alone[page] = std::make_shared<Probe>(probe_of({"single", {page}}, false));
  std::vector<Probe> probes;
  for (const Row& row : rows()) {
    Probe random_v = probe_of(row, false);
    if (row.pages.size() > 1)
      for (const int32_t page : row.pages) random_v.alone.push_back(alone.at(page));
    probes.push_back(std::move(random_v));
    probes.push_back(probe_of(row, true));
  }
  return probes;
}

} // namespace fmha950::harness
