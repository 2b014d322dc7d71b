// append_prefill of baseline: what the cache holds afterwards, which launches there are, and that both forms
// do the same.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "impl_baseline/append/append_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "numerics/bf16.hpp"
#include "numerics/fp16.hpp"
#include "numerics/fp8.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

using namespace fmha950;
using namespace fmha950::baseline;
using Catch::Contains;

namespace {

std::vector<std::byte> cache_after_append(const Problem& problem, const Tensors& tensors) {
  harness::DeviceCase device(problem, tensors);
  append::AppendPlan plan(append::Form::two_launch, "baseline_two_launch", problem, tensors,
                          device.tensors());
  auto launches = plan.workgroups_for(harness::all_rows(problem));
  launches[1].workgroups.clear(); // attention to NaN is of no interest
  plan.enqueue_restricted(nullptr, launches);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return device.download_cache();
}

} // namespace

TEST_CASE("the caches hold x / scale of every 16-bit value, each step rounded once") {
  const auto [type, scale] = GENERATE(table<std::string, float>({{"bf16", 0.0137F},
                                                                 {"fp16", 0.0137F},
                                                                 {"bf16", 1.0F},
                                                                 {"fp16", 3.0F},
                                                                 {"bf16", 2e-38F},
                                                                 {"bf16", 7e35F}}));
  const int columns = GENERATE(64, 128), tokens = 65536 / columns;
  CAPTURE(type, scale, columns);
  const Problem problem = parse_case(
      fmt::format("append_prefill/h=1:1/sq={0}/sk={0}/d={1}/page=64/q={2}", tokens, columns, type));
  Tensors tensors = workload::make_tensors(problem);
  const float scales[] = {scale, scale * 0.75F}; // of K and V
  tensors.k_descale.as<float>()[0] = scales[0];
  tensors.v_descale.as<float>()[0] = scales[1];
  const auto k = append_tensors(tensors).k_new.as<uint16_t>(),
             v = append_tensors(tensors).v_new.as<uint16_t>();
  for (size_t i = 0; i < k.size(); ++i) k[i] = v[i] = static_cast<uint16_t>(i); // NaN among them
  const std::vector<std::byte> caches = cache_after_append(problem, tensors);
  int wrong = 0;
  for (size_t pool = 0; pool < 2; ++pool)
    for (int token = 0; token < tokens; ++token)
      for (int column = 0; column < columns; ++column) {
        const auto value = static_cast<uint16_t>(token * columns + column);
        const float x = type == "bf16" ? numerics::f32_from_bf16(value) : numerics::f32_from_f16(value);
        const float quotient = x / scales[pool];
        const float saturated = quotient > 448 ? 448 : quotient < -448 ? -448 : quotient;
        const auto place = static_cast<size_t>( // of a linear pool, K's or V's
            v_index(problem, page_of(problem, tensors, 0, token), token % 64, 0, column));
        const std::byte found = caches[pool * tensors.k_pool.bytes() + place];
        if (std::to_integer<uint8_t>(found) != numerics::fp8_from_f32(saturated, false)) ++wrong;
      }
  CHECK(wrong == 0);
}

TEST_CASE("one launch appends and attends, or one does each") {
  const Problem problem = parse_case("append_prefill/h=4:1/sq=3/sk=20/d=64/q=fp16");
  const Tensors tensors = workload::make_tensors(problem);
  using append::Form;
  const append::AppendPlan fused(Form::fused, "baseline", problem, tensors, {});
  CHECK(fused.variant() == "append_fp16_d64_fused");
  CHECK(fused.probability_rounding().type == ElementType::fp16);
  CHECK(fused.query_tile() == 32);
  REQUIRE(fused.workgroups_for({{0, 0}}).size() == 1);
  CHECK(fused.workgroups_for({{0, 0}})[0].kernel == "append_attention");
  const append::AppendPlan two(Form::two_launch, "baseline_two_launch", problem, tensors, {});
  CHECK(two.variant() == "append_fp16_d64_two_launch");
  REQUIRE(two.workgroups_for({{0, 2}}).size() == 2);
  CHECK(two.workgroups_for({{0, 2}})[0].kernel == "append_alone");
  CHECK(two.workgroups_for({{0, 2}})[1].kernel == "attention_alone");
  CHECK(two.workgroups_for({{0, 2}})[1].workgroups == std::vector<uint32_t>{0});
}

TEST_CASE("problems of append_prefill that baseline refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>(
      {{"append_prefill/h=8:1/sq=1/sk=1/calls=3", "3 calls: one plan is one call"}}));
  for (const char* const name : {"baseline", "baseline_two_launch"})
    CHECK(find_implementation(name).supports(parse_case(text)).why_not == reason);
  Problem wide = parse_case("append_prefill/h=8:1/sq=1/sk=1");
  wide.head_dim = 256;
  CHECK(find_implementation("baseline").supports(wide).why_not == "head_dim 256: only 64 or 128");
  CHECK(find_implementation("baseline_two_launch")
            .supports(parse_case("batch_prefill/h=8:1/sq=1/sk=1"))
            .why_not == "operator batch_prefill: only append_prefill");
}

TEST_CASE("every kernel of append_prefill exists, and every code object is given to some problem") {
  std::set<std::string> chosen;
  for (const char* const rest : {"d=64/q=bf16", "d=64/q=fp16", "d=128/q=bf16", "d=128/q=fp16"}) {
    const Problem problem = parse_case(std::string("append_prefill/h=1:1/sq=1/sk=1/") + rest);
    chosen.insert(append::code_object_of(problem));
    for (const auto form : {append::Form::fused, append::Form::two_launch})
      for (const std::string& kernel : append::kernels_of(form, problem))
        CHECK_NOTHROW(hip::load_kernel(append::code_object_of(problem), kernel));
  }
  const auto variants = hip::code_object_variants();
  CHECK(std::ranges::count_if(variants, [](auto variant) { return variant.starts_with("append_"); }) == 4);
  CHECK(chosen.size() == 4);
}

TEST_CASE("both forms give the same bits, whole or restricted to a row's workgroups", "[slow]") {
  const Problem problem =
      parse_case("append_prefill/h=6:2/sq=70,0,90/sk=300,7,129/d=128/page=32/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const std::vector<QueryRow> rows = {{0, 0}, {0, 69}, {2, 89}};
  harness::CaseRun fused(find_implementation("baseline"), problem, tensors);
  harness::CaseRun two(find_implementation("baseline_two_launch"), problem, tensors);
  const auto expected = fused.run({}, rows).rows;
  CHECK(two.run({}, rows).rows == expected);
  CHECK(two.device().download_cache() == fused.device().download_cache());
  CHECK(fused.run({}, rows, true).rows == expected);
  CHECK(two.run({}, rows, true).rows == expected);
}

TEST_CASE("a refused append leaves cache and outputs untouched, byte for byte") {
  const std::string name = GENERATE(as<std::string>(), "baseline", "baseline_two_launch");
  const Problem problem = parse_case("append_prefill/h=4:2/sq=30,7/sk=75,7/d=64/page=16");
  const Tensors tensors = workload::make_tensors(problem);
  harness::DeviceCase device(problem, tensors);
  const std::vector<QueryRow> rows{{0, 0}, {0, 29}, {1, 6}};
  device.poison(rows);
  const harness::RowOutputs outputs = device.download(rows);
  const auto cache = device.download_cache();
  const auto call = [&](const Tensors& host, const DeviceTensors& placed) {
    find_implementation(name).plan(problem, host, placed)->enqueue(nullptr);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  };
  const auto refused = [&](const Tensors& host, const DeviceTensors& placed, const char* field) {
    CAPTURE(field);
    CHECK_THROWS_WITH(call(host, placed), Contains(field));
    CHECK(device.download(rows) == outputs);
    CHECK(device.download_cache() == cache);
  };
  const auto with = [](const Tensor& tensor, size_t index, auto value) {
    Tensor changed(tensor.type(), tensor.shape());
    std::copy_n(tensor.data(), tensor.bytes(), changed.data());
    changed.template as<decltype(value)>()[index] = value;
    return changed;
  };
  for (const float scale : {0.0f, -1.0f, 1e-40f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    Tensors wrong = tensors;
    wrong.k_descale = with(tensors.k_descale, 0, scale);
    refused(wrong, device.tensors(), "k_scale");
    wrong = tensors;
    wrong.v_descale = with(tensors.v_descale, 0, scale);
    refused(wrong, device.tensors(), "v_scale");
  }
  const auto& pages = tensors.kv_page_indices;
  Tensors conflict = tensors; // request 1's page is one that request 0 writes to
  conflict.kv_page_indices = with(pages, 5, pages.as<int32_t>()[4]);
  refused(conflict, device.tensors(), "kv_page_indices");
  Tensors outside = tensors;
  outside.kv_page_indices = with(pages, 0, static_cast<int32_t>(tensors.pool_pages()));
  refused(outside, device.tensors(), "kv_page_indices");
  Tensors no_room = tensors;
  no_room.kv_last_page_lens = with(tensors.kv_last_page_lens, 1, int32_t{5});
  refused(no_room, device.tensors(), "kv_last_page_lens");
  DeviceTensors overlap = device.tensors();
  append_tensors(overlap).v_new = overlap.k_cache;
  refused(tensors, overlap, "v_new");

  call(tensors, device.tensors()); // that one is taken, and seen
  CHECK(device.download_cache() != cache);
}
