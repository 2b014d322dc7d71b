// append_prefill of baseline: what the cache holds afterwards, which launches there are, and that both forms
// do the same.
#include "emulator/numerics/bf16.hpp"
#include "emulator/numerics/fp16.hpp"
#include "emulator/numerics/fp8.hpp"
#include "harness/accuracy/row_sample.hpp"
#include "harness/device/case_run.hpp"
#include "harness/device/device_case.hpp"
#include "harness/workload/generate.hpp"
#include "impl_baseline/append/append_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <set>

using namespace fmha950;
using namespace fmha950::baseline;
using Catch::Matchers::Contains;

namespace {

// One tensor after another on the device, for a plan that is run without the harness.
class OnDevice {
 public:
  const void* put(const Tensor& tensor) {
    buffers_.emplace_back(std::max<size_t>(tensor.bytes(), 16));
    buffers_.back().upload(tensor.data(), tensor.bytes());
    return buffers_.back().get();
  }
  void* space(size_t bytes) { return buffers_.emplace_back(bytes).get(); }
  const hip::Buffer& last() const { return buffers_.back(); }

 private:
  std::vector<hip::Buffer> buffers_;
};

std::vector<uint8_t> cache_after_append(const Problem& problem, const Tensors& tensors) {
  OnDevice memory;
  DeviceTensors device;
  device.q = memory.put(tensors.q);
  device.k_new = memory.put(tensors.k_new);
  device.v_new = memory.put(tensors.v_new);
  device.kv_page_indices = static_cast<const int32_t*>(memory.put(tensors.kv_page_indices));
  device.output = memory.space(tensors.q.bytes());
  device.k_pool = device.k_cache = const_cast<void*>(memory.put(tensors.k_pool));
  device.v_pool = device.v_cache = const_cast<void*>(memory.put(tensors.v_pool));
  append::AppendPlan plan(append::Form::two_launch, "baseline_two_launch", problem, tensors, device);
  auto launches = plan.workgroups_for(harness::all_rows(problem));
  launches[1].workgroups.clear(); // attention to NaN is of no interest
  plan.enqueue_restricted(nullptr, launches);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  std::vector<uint8_t> bytes(tensors.v_pool.bytes());
  memory.last().download(bytes.data(), bytes.size());
  return bytes;
}

} // namespace

TEST_CASE("the cache holds x / scale of every 16-bit value, each step rounded once") {
  const auto [type, scale] = GENERATE(table<std::string, float>({{"bf16", 0.0137F},
                                                                 {"fp16", 0.0137F},
                                                                 {"bf16", 1.0F},
                                                                 {"fp16", 3.0F},
                                                                 {"bf16", 2e-38F},
                                                                 {"bf16", 7e35F}}));
  CAPTURE(type, scale);
  // 512 rows of 128 columns: all values that there are, NaN among them.
  const Problem problem = parse_case("append_prefill/h=1:1/sq=512/sk=512/d=128/page=64/q=" + type);
  Tensors tensors = workload::make_tensors(problem);
  tensors.v_descale.as<float>()[0] = scale;
  const auto chunk = tensors.v_new.as<uint16_t>();
  for (size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<uint16_t>(i);
  const std::vector<uint8_t> cache = cache_after_append(problem, tensors);
  int wrong = 0;
  for (int token = 0; token < 512; ++token)
    for (int column = 0; column < 128; ++column) {
      const auto value = static_cast<uint16_t>(token * 128 + column);
      const float x = type == "bf16" ? numerics::f32_from_bf16(value) : numerics::f32_from_f16(value);
      const float quotient = x / scale;
      const float saturated = quotient > 448 ? 448 : quotient < -448 ? -448 : quotient;
      const auto place = v_index(problem, page_of(problem, tensors, 0, token), token % 64, 0, column);
      if (cache[static_cast<size_t>(place)] != numerics::fp8_from_f32(saturated, false)) ++wrong;
    }
  CHECK(wrong == 0);
}

TEST_CASE("one launch appends and attends, or one does each") {
  const Problem problem = parse_case("append_prefill/h=4:1/sq=3/sk=20/d=64/q=fp16");
  const Tensors tensors = workload::make_tensors(problem);
  using append::Form;
  const append::AppendPlan fused(Form::fused, "baseline", problem, tensors, {});
  CHECK(fused.variant() == "append_fp16_d64_fused");
  CHECK(fused.plain_rounding().p_type == ElementType::fp16);
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
      for (const std::string& kernel : append::kernels_of(form))
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
  overlap.v_new = overlap.k_cache;
  refused(tensors, overlap, "v_new");

  call(tensors, device.tensors()); // that one is taken, and seen
  CHECK(device.download_cache() != cache);
}
