// Slots of touched pages against a plain enumeration.
#include "attention/host/carry.hpp"
#include "impl_prepass/kv_slots.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>

using namespace fmha950;
using namespace fmha950::prepass;

TEST_CASE("every touched page has one slot, and every request finds its pages") {
  const std::string text =
      GENERATE(as<std::string>(), "batch_prefill/h=2:1/sq=3,0,5/sk=100,0,33/d=128/page=16",
               "batch_prefill/h=2:1/sq=3,4/sk=7,5/d=128/page=1/table=vllm",
               "batch_prefill/h=2:2/trace=toolagent@100+4:64/d=128/order=lru"); // shares prefixes
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  const KvSlots slots = assign_slots(problem, tensors);
  CHECK(std::set(slots.pages.begin(), slots.pages.end()).size() == slots.pages.size());
  CHECK(slots.pages.size() == touched_pages(problem, tensors).size());
  REQUIRE(slots.begin.size() == problem.requests.size() + 1);
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    CHECK(slots.begin[request + 1] - slots.begin[request] == problem.pages_of(problem.requests[request]));
    for (int token = 0; token < problem.requests[request].key_length; ++token)
      CHECK(slots.pages[slots.slots[slots.begin[request] + token / problem.page_size]] ==
            page_of(problem, tensors, request, token));
  }
  CHECK(std::ranges::all_of(slots.first_rows, [](uint32_t row) { return row == 0; }));
}

TEST_CASE("a page that is no power of two has a slot for each of its blocks that is touched") {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=3,0,5/sk=200,0,33/d=128/page=96");
  const Tensors tensors = workload::make_tensors(problem);
  const KvSlots slots = assign_slots(problem, tensors);
  CHECK(rows_of_slot(problem) == 32);
  CHECK(slots.begin == std::vector<int32_t>{0, 7, 7, 9}); // of 200 and 33 tokens
  for (int request = 0; request < 3; ++request)
    for (int token = 0; token < problem.requests[request].key_length; ++token) {
      const int32_t slot = slots.slots[slots.begin[request] + token / 32];
      CHECK(slots.pages[slot] == page_of(problem, tensors, request, token));
      CHECK(slots.first_rows[slot] + token % 32 == static_cast<uint32_t>(token % 96));
    }
}

TEST_CASE("heads of more than 4 GiB in all take a power of two of slots, so that none needs a carry") {
  constexpr uint64_t gib = uint64_t{1} << 30;
  constexpr int rows = 16, row_bytes = 256, heads = 8;
  const size_t of_4_gib = 4 * gib / (heads * rows * row_bytes);
  CHECK(slots_without_carry(of_4_gib, rows, heads, row_bytes) == of_4_gib);
  CHECK(slots_without_carry(of_4_gib - 1, rows, heads, row_bytes) == of_4_gib - 1);
  const size_t more = slots_without_carry(of_4_gib + 1, rows, heads, row_bytes);
  CHECK(more == 2 * of_4_gib);
  constexpr int mla_row_bytes = 384; // no number of them divides 4 GiB: more rows would help nothing
  CHECK(slots_without_carry(of_4_gib + 1, rows, heads, mla_row_bytes) == of_4_gib + 1);
  // Wherever memory begins, pieces of that size can be placed; of a slot more than 4 GiB they cannot.
  for (const uint64_t begin : {uint64_t{64}, 3 * gib + 4096, 4 * gib - 64}) {
    const auto at = [](uint64_t address) { return reinterpret_cast<const void*>(address); };
    const auto carries = [&](size_t slots) {
      const uint64_t bytes = slots * rows * row_bytes;
      const uint64_t later = attention::start_without_carry(at(begin), 2 * heads, bytes);
      return attention::carries_inside(at(begin + later), 2 * heads, bytes);
    };
    CHECK_FALSE(carries(more));
    CHECK(carries(of_4_gib + 1));
  }
  KvSlots slots{{7, 3}, {0, 16}, {0, 1}, {0, 2}};
  add_slots(slots, 4);
  CHECK(slots.pages == std::vector<int32_t>{7, 3, 3, 3});
  CHECK(slots.first_rows == std::vector<uint32_t>{0, 16, 16, 16});
  CHECK(slots.slots == std::vector<int32_t>{0, 1});
}
