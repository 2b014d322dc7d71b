// Both page tables as one list of page ids, of which every request has a run.
#include "attention/host/page_table.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::attention;

TEST_CASE("a request's run of the table holds its pages, in token order") {
  const std::string table = GENERATE("sglang", "vllm");
  const Problem problem =
      parse_case("batch_prefill/h=2:1/sq=1,4,0,3/sk=100,0,7,33/d=128/page=16/spare=9/table=" + table);
  const Tensors tensors = workload::make_tensors(problem);
  const auto ids = (table == "vllm" ? tensors.block_table : tensors.kv_page_indices).as<int32_t>();
  const auto begins = table_begins(problem, tensors);
  REQUIRE(begins.size() == problem.requests.size());
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request)
    for (int token = 0; token < problem.requests[request].key_length; ++token)
      REQUIRE(ids[begins[request] + token / problem.page_size] == page_of(problem, tensors, request, token));
}

TEST_CASE("the device's table is the one that the problem has") {
  DeviceTensors device;
  const int32_t indices[1] = {}, blocks[1] = {};
  device.kv_page_indices = indices;
  device.block_table = blocks;
  CHECK(device_table(parse_case("batch_prefill/h=2:1/sq=1/sk=1/d=128"), device) == indices);
  CHECK(device_table(parse_case("batch_prefill/h=2:1/sq=1/sk=1/d=128/table=vllm"), device) == blocks);
}

TEST_CASE("a block table whose places need more than 31 bits is refused") {
  Problem problem = parse_case("batch_prefill/h=2:1/b=3/sq=1/sk=1/d=128/table=vllm");
  Tensors tensors;
  tensors.block_table = Tensor(ElementType::int32, {3, 715827883}); // 2^31 + 1 entries
  CHECK_THROWS_AS(table_begins(problem, tensors), InvalidInput);
}

TEST_CASE("pages that are no power of two: the multiplication gives the page of every key up to 2^30") {
  for (int page = 16; page <= 1024; page += 16) {
    Problem problem;
    problem.page_size = page;
    CAPTURE(page);
    CHECK(attention::has_block_pages(problem) == ((page & (page - 1)) != 0));
    if (!attention::has_block_pages(problem)) continue;
    const attention::PageBlocks blocks = attention::page_blocks(problem);
    CHECK(blocks.page_size == static_cast<uint32_t>(page));
    const auto page_of = [&](uint64_t key) { return (key >> blocks.shift) * blocks.reciprocal >> 32; };
    int wrong = 0;
    for (uint64_t first = 0; first <= (uint64_t(1) << 30) + 512;
         first += first < 100'000 ? page : page * 1021)
      for (const uint64_t key : {first, first + 1, first + page - 1})
        if (page_of(key) != key / page) ++wrong;
    CHECK(wrong == 0);
  }
}
