// Which kernel a problem runs on, what the plan refuses, and what a restricted launch needs.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::pipelined;

namespace {

constexpr uint64_t gib = uint64_t(1) << 30;

Problem problem_of(const std::string& rest) {
  return parse_case("batch_prefill/h=8:1/sq=1/sk=1/d=128/q=fp8/kv=fp8" + rest);
}

std::string kernel_of(const std::string& rest, const PoolPlaces& pools, Path path = Path::f8f6f4) {
  const Variant variant = variant_of(problem_of(rest), pools, path);
  return variant.code_object + "/" + variant.kernel;
}

// Pools that begin at a multiple of 4 GiB.
std::string kernel_of(const std::string& rest, uint64_t pool_bytes, Path path = Path::f8f6f4) {
  return kernel_of(rest, PoolPlaces{nullptr, nullptr, pool_bytes}, path);
}

std::string planned(const std::string& text, std::string_view implementation = "pipelined") {
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  return harness::CaseRun(find_implementation(implementation), problem, tensors).plan().variant();
}

} // namespace

TEST_CASE("the kernel follows from page size, pool, paging, descales and soft cap") {
  CHECK(kernel_of("/quant=tensor/page=1", gib) == "pipelined_f8f6f4/prefill_scattered");
  CHECK(kernel_of("/quant=tensor/page=32", gib) == "pipelined_f8f6f4/prefill_scattered");
  CHECK(kernel_of("/quant=tensor/page=64", gib) == "pipelined_f8f6f4/prefill_rebased");
  CHECK(kernel_of("/page=1024", gib) == "pipelined_f8f6f4/prefill_rebased");
  CHECK(kernel_of("/quant=tensor/page=16/cap=30", gib) == "pipelined_f8f6f4/prefill_scattered_cap");
  CHECK(kernel_of("/quant=tensor/page=16/paged=0", gib) == "pipelined_f8f6f4/prefill_contiguous");
  CHECK(kernel_of("/quant=tensor/paged=0/cap=30", gib) == "pipelined_f8f6f4/prefill_contiguous_cap");
  CHECK(kernel_of("/quant=page/page=64", gib) == "pipelined_f8f6f4_blockscale/prefill_rebased");
  CHECK(kernel_of("/quant=page/page=64/cap=30", gib) == "pipelined_f8f6f4_blockscale/prefill_rebased_cap");
  CHECK(kernel_of("/quant=tensor/page=16", gib, Path::fp8) == "pipelined_fp8/prefill_scattered");
  CHECK(kernel_of("/quant=page/page=64", gib, Path::fp8) == "pipelined_fp8_blockscale/prefill_rebased");
  CHECK(kernel_of("/quant=tensor/page=16", gib, Path::direct_p) == "pipelined_direct/prefill_scattered");
  CHECK(kernel_of("/quant=page/page=64", gib, Path::direct_p) ==
        "pipelined_direct_blockscale/prefill_rebased");
}

TEST_CASE("page descales need the page's id even where pages lie in a row") {
  CHECK(kernel_of("/quant=page/page=128/paged=0", gib) == "pipelined_f8f6f4_blockscale/prefill_rebased");
}

TEST_CASE("64-bit offsets where a pool does not fit the 32 bits of a buffer's size, and pages are small") {
  CHECK(kernel_of("/page=16", 4 * gib - 1) == "pipelined_f8f6f4/prefill_scattered");
  CHECK(kernel_of("/page=16", 4 * gib) == "pipelined_f8f6f4/prefill_scattered_64");
  CHECK(kernel_of("/page=16/cap=30", 5 * gib) == "pipelined_f8f6f4/prefill_scattered_64_cap");
  CHECK(kernel_of("/page=64", 5 * gib) == "pipelined_f8f6f4/prefill_rebased"); // the base has 64 bits
  CHECK(kernel_of("/page=16/paged=0", 5 * gib) == "pipelined_f8f6f4/prefill_contiguous");
}

TEST_CASE("64-bit offsets where a page's number needs more than 24 bits") {
  const uint64_t pages = uint64_t(1) << 24;
  CHECK(kernel_of("/page=1", pages * 128) == "pipelined_f8f6f4/prefill_scattered");
  CHECK(kernel_of("/page=1", (pages + 1) * 128) == "pipelined_f8f6f4/prefill_scattered_64");
}

TEST_CASE("64-bit addresses where a multiple of 4 GiB lies in what one base reaches: its carry may be lost") {
  const auto at = [](uint64_t address) { return reinterpret_cast<const void*>(address); };
  const uint64_t page = 64 * 128; // bytes of 64 tokens
  const PoolPlaces below = {at(3 * gib), at(7 * gib), gib}, inside = {at(3 * gib), at(7 * gib + page), gib};
  CHECK(kernel_of("/page=16", below) == "pipelined_f8f6f4/prefill_scattered");
  CHECK(kernel_of("/page=16", inside) == "pipelined_f8f6f4/prefill_scattered_64");
  CHECK(kernel_of("/page=64", inside) == "pipelined_f8f6f4/prefill_rebased"); // between two pages
  PoolPlaces in_page = {at(3 * gib + page / 2), at(8 * gib), gib};
  CHECK(kernel_of("/page=64", in_page) == "pipelined_f8f6f4/prefill_rebased"); // which nobody uses
  in_page.splits_a_page = true;
  CHECK(kernel_of("/page=64", in_page) == "pipelined_f8f6f4/prefill_scattered_64");
  CHECK(kernel_of("/quant=page/page=64", in_page) == "pipelined_f8f6f4_blockscale/prefill_scattered_64");
  CHECK(kernel_of("/quant=page/page=64/cap=30", in_page, Path::fp8) ==
        "pipelined_fp8_blockscale/prefill_scattered_64_cap");
  CHECK(kernel_of("/quant=page/page=64", in_page, Path::direct_p) ==
        "pipelined_direct_blockscale/prefill_scattered_64");
  PoolPlaces in_a_row = inside;
  CHECK(kernel_of("/page=16/paged=0", in_a_row) == "pipelined_f8f6f4/prefill_contiguous");
  in_a_row.splits_a_row_of_keys = true;
  CHECK(kernel_of("/page=16/paged=0", in_a_row) == "pipelined_f8f6f4/prefill_scattered_64");
}

TEST_CASE("the resolved variant names a key split") {
  const std::string text = "batch_prefill/h=2:1/d=128/q=fp8/kv=fp8/page=64";
  // One tile of rows; a part has at least four tiles of 64 keys. Two parts take longer than the whole by the estimate.
  CHECK(planned(text + "/sq=40/sk=768") == "pipelined_f8f6f4/prefill_rebased/split=3");
  CHECK(planned(text + "/sq=40/sk=704") == "pipelined_f8f6f4/prefill_rebased");
  CHECK(planned(text + "/sq=40/sk=2048") == "pipelined_f8f6f4/prefill_rebased/split=8");
  CHECK(planned(text + "/sq=40/sk=2048", "pipelined_x16") == "pipelined_fp8/prefill_rebased/split=8");
  // Nothing to gain where all compute units are busy anyway. One request is long, the others have one key.
  const auto among = [&](int others) {
    std::string keys = "/sq=1/sk=1024";
    for (int i = 0; i < others; ++i) keys += ",1";
    return planned(text + keys);
  };
  CHECK(among(2000) == "pipelined_f8f6f4/prefill_rebased");
  CHECK(among(200) == "pipelined_f8f6f4/prefill_rebased/split=4");
}

TEST_CASE("deterministic=1: a request is split by its own length, and one that is not never meets the "
          "combine step") {
  const std::string text = "batch_prefill/h=2:1/d=128/q=fp8/kv=fp8/page=64/deterministic=1";
  // No part is shorter than 16 tiles of 64 keys.
  CHECK(planned(text + "/sq=40/sk=1984") == "pipelined_f8f6f4/prefill_rebased");
  CHECK(planned(text + "/sq=40/sk=1985") == "pipelined_f8f6f4/prefill_rebased/split=2");
  CHECK(planned(text + "/sq=1/sk=8192") == "pipelined_f8f6f4/prefill_rebased/split=8");
  std::string keys = "/sq=1/sk=2048";
  for (int i = 0; i < 2000; ++i) keys += ",1";
  CHECK(planned(text + keys) == "pipelined_f8f6f4/prefill_rebased/split=2");

  const auto launches = [&](const std::string& lengths, const std::vector<QueryRow>& rows) {
    const Problem problem = parse_case(text + lengths);
    const Tensors tensors = workload::make_tensors(problem);
    return harness::CaseRun(find_implementation("pipelined"), problem, tensors).plan().workgroups_for(rows);
  };
  CHECK(launches("/sq=1,1/sk=70,700", {{0, 0}}).size() == 1);
  CHECK(launches("/sq=1,1/sk=4096,2100", {{0, 0}}).size() == 2); // none is whole
  const auto split = launches("/sq=1,1,1/sk=70,4096,700", {{1, 0}});
  REQUIRE(split.size() == 3);
  CHECK(split[0].workgroups.empty());
  CHECK(split[1].workgroups == std::vector<uint32_t>{0, 1, 2, 3});
  CHECK(split[2].workgroups.size() == 1);
  const auto whole = launches("/sq=1,1,1/sk=70,4096,700", {{2, 0}});
  CHECK(whole[0].workgroups == std::vector<uint32_t>{0}); // the longest first
  CHECK((whole[1].workgroups.empty() && whole[2].workgroups.empty()));
}

TEST_CASE("a plan without a key split has no partial results") {
  const auto workspace = [](const std::string& text) {
    const Problem problem = parse_case(text);
    const Tensors tensors = workload::make_tensors(problem);
    return harness::CaseRun(find_implementation("pipelined"), problem, tensors).plan().workspace_bytes();
  };
  const std::string text = "batch_prefill/h=2:1/sq=40/d=128/q=fp8/kv=fp8/page=64/sk=";
  const size_t item = sizeof(attention::WorkItem);
  CHECK(workspace(text + "704") == item);
  const size_t partial_row = 128 * sizeof(float) + sizeof(float);
  CHECK(workspace(text + "768") == 3 * item + 3 * (40 * 2) * partial_row + 10 * sizeof(CombineItem));
}

TEST_CASE("problems whose numbers do not fit are refused with the field, its value and the limit") {
  const auto refusal = [](const std::string& rest) -> std::string {
    try {
      const PipelinedPlan plan(parse_case("batch_prefill/d=128/q=fp8/kv=fp8" + rest), {}, {}, Path::f8f6f4);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string rows = refusal("/h=32:1/sq=20000000/sk=1");
  CHECK_THAT(rows, Catch::Contains("sq") && Catch::Contains("640000000 queries times heads per KV head") &&
                       Catch::Contains("at most 536870912"));
  const std::string keys = refusal("/h=1:1/sq=1/sk=33554432/paged=0"); // 4 GiB
  CHECK_THAT(keys, Catch::Contains("sk") && Catch::Contains("33554432 with 1 KV heads") &&
                       Catch::Contains("within 4 GiB"));
}

TEST_CASE("V descales of pages too far apart for fp32 are refused, and others are not") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=256/d=128/q=fp8/kv=fp8/quant=page/page=64");
  const auto refusal = [&](float descale) -> std::string {
    Tensors tensors = workload::make_tensors(problem);
    tensors.v_descale.as<float>()[page_of(problem, tensors, 0, 64)] = descale;
    try {
      harness::CaseRun(find_implementation("pipelined"), problem, tensors);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal(1e-20f) == "accepted");
  CHECK_THAT(refusal(1e-36f),
             Catch::Contains("v_descale") && Catch::Contains("up to a factor of 2^100 apart"));
}

TEST_CASE("a restricted run gives the rows of its tiles the bits of the whole run") {
  // The second is split.
  const std::string keys = GENERATE(as<std::string>(), "sk=300,7,129", "sk=1300,7,629");
  const Problem problem = parse_case(
      "batch_prefill/h=16:2/sq=70,0,90/d=128/q=fp8/kv=fp8/quant=page/page=64/causal=1/lse=1/" + keys);
  const Tensors tensors = workload::make_tensors(problem);
  const auto& pipelined = find_implementation("pipelined");
  const std::vector<QueryRow> rows = {{0, 0}, {0, 33}, {2, 89}};
  harness::CaseRun whole(pipelined, problem, tensors), restricted(pipelined, problem, tensors);
  const auto launches = restricted.plan().workgroups_for(rows);
  const bool split = keys.starts_with("sk=1300");
  CHECK(launches.size() == (split ? 2 : 1));
  // Three tiles of 32 queries, two KV heads; parts of up to five tiles of keys;
  // blocks of eight heads of a query.
  CHECK(launches[0].workgroups.size() == (split ? 2 * (4 + 5 + 2) : 2 * 3));
  if (split) CHECK(launches[1].workgroups.size() == 2 * 3);
  CHECK(whole.run({}, rows).rows == restricted.run({}, rows, true).rows);
}

TEST_CASE("direct P refuses what its mean error, or a soft cap, spoils") {
  const Implementation& direct = find_implementation("pipelined_direct_p");
  CHECK(direct.supports(problem_of("")));
  const auto why_not = [&](const std::string& rest) { return direct.supports(problem_of(rest)).why_not; };
  CHECK_THAT(why_not("/lse=1"), Catch::Contains("depends on how it rounds, which is not public"));
  CHECK_THAT(why_not("/cap=30"), Catch::Contains("a P without any then gains nothing"));
}
