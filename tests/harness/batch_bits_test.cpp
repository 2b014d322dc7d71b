// The verdict on batch invariance: a right implementation has the same bits in every batch, and one bit that is other in one
// batch is noticed.
#include "fake_implementation.hpp"
#include "harness/probe/batch_bits.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::string lengths(int requests) {
  std::string queries, keys;
  for (int i = 0; i < requests; ++i) {
    queries += (i > 0 ? "," : "") + std::to_string(1 + i % 3);
    keys += (i > 0 ? "," : "") + std::to_string(1 + i * 7 % 40);
  }
  return "/sq=" + queries + "/sk=" + keys;
}

std::optional<std::string> verdict(const std::string& text) {
  const Problem problem = parse_case(text);
  return batch_difference(find_implementation("fake_a"), problem, workload::make_tensors(problem),
                          batches_of(static_cast<int>(problem.requests.size())));
}

fake::Behaviour& fresh() {
  fake::reset_behaviours();
  return fake::behaviour("fake_a");
}

// The neighbour of a number in bf16: other by one bit.
double with_lowest_bit_flipped(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value)) + 0x8000u;
  return std::bit_cast<float>((bits & 0xffff0000u) ^ 0x10000u);
}

} // namespace

TEST_CASE("batches: each request is in a batch of its own, in one of 2, of 40, of all, and in all reversed "
          "and shuffled") {
  const std::vector<Batch> batches = batches_of(200);
  std::map<size_t, size_t> by_size;
  std::map<int, size_t> of_request;
  for (const Batch& batch : batches) {
    ++by_size[batch.size()];
    for (const int request : batch) ++of_request[request];
  }
  CHECK(by_size == std::map<size_t, size_t>{{1, 200}, {2, 100}, {40, 5}, {200, 3}});
  CHECK(of_request.size() == 200);
  CHECK(std::ranges::all_of(of_request, [](const auto& of) { return of.second == 6; }));
  CHECK(batches[0] == Batch{0});
  CHECK(std::ranges::is_sorted(batches[batches.size() - 3]));
  CHECK(std::ranges::is_sorted(batches[batches.size() - 2], std::greater()));
  CHECK_FALSE(std::ranges::is_sorted(batches.back()));
  // Of few requests no batch comes twice.
  const std::vector<Batch> few = batches_of(4);
  CHECK(few.size() == 4 + 2 + 1 + 2);
}

TEST_CASE("batch bits: what computes each request by itself passes, in every form of the tensors",
          "[unsanitized]") {
  fresh();
  const std::string form =
      GENERATE(as<std::string>(), "", "/table=vllm/layout=vectorized", "/page=1/paged=0",
               "/q=fp8/kv=fp8/quant=mx/page=32", "/q=fp8/kv=fp8/quant=page/page=64/paged=0",
               "/layout=hnd/interleaved=1/paged=0", "/d=192:128/q=fp8/kv=fp8/quant=page/layout=hnd");
  CAPTURE(form);
  CHECK(verdict("batch_prefill/h=2:1" + lengths(60) + form + "/lse=1") == std::nullopt);
  CHECK(verdict("append_prefill/h=2:1/sq=3,0,9/sk=40,3,9/d=64/causal=1/lse=1") == std::nullopt);
}

TEST_CASE("batch bits: one bit of one output, in batches of 40 and more alone, is noticed", "[unsanitized]") {
  fake::Behaviour& behaviour = fresh();
  behaviour.spoil = [&](std::vector<double>& output, int) {
    if (behaviour.planned.back().requests.size() >= 40) output[130] = with_lowest_bit_flipped(output[130]);
  };
  const auto reason = verdict("batch_prefill/h=2:1" + lengths(60) + "/lse=1");
  REQUIRE(reason);
  CHECK(*reason ==
        "request 0 (1 queries, 1 keys) has other bits as request 0 of 40 than alone: 1 output bytes, 0 "
        "LSE bytes");
}

TEST_CASE("batch bits: what depends on the longest request, or on the place in the batch, is noticed",
          "[unsanitized]") {
  fake::Behaviour& behaviour = fresh();
  const auto planned = [&]() -> const Problem& { return behaviour.planned.back(); };
  SECTION("the longest") {
    behaviour.spoil = [&](std::vector<double>& output, int) {
      for (double& x : output) x *= 1 + planned().max_key_length();
    };
  }
  SECTION("the place") {
    behaviour.spoil = [&](std::vector<double>& output, int) {
      for (size_t i = 0; i < output.size(); ++i) output[i] *= 1 + static_cast<double>(i / 600);
    };
  }
  SECTION("the number of keys that all have") {
    behaviour.problem = [](Problem problem) {
      for (const Request& request : problem.requests)
        problem.seed += static_cast<uint64_t>(request.key_length);
      problem.scale = 0.01f * static_cast<float>(problem.seed % 100 + 1);
      return problem;
    };
  }
  CHECK_THAT(verdict("batch_prefill/h=2:1" + lengths(9)).value_or("nothing"),
             Catch::Contains("has other bits"));
}
