// Device pointers that lie in memory which a call writes; of append_prefill also missing and misaligned ones.
#include "interface/error.hpp"
#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "tests/operators/append_prefill/append_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <functional>

using namespace fmha950;
using namespace fmha950::test;

namespace {

// Everything 64 KiB apart.
struct Placed {
  Problem problem;
  Tensors tensors;
  DeviceTensors device;
};

constexpr uintptr_t apart = 0x10000;

void* address(uintptr_t number) { return reinterpret_cast<void*>(number * apart); }

Placed placed(const char* text) {
  Placed p{parse_case(text), {}, {}};
  p.tensors = valid_append_tensors(p.problem);
  DeviceTensors& d = p.device;
  d.k_pool = d.k_cache = address(1);
  d.v_pool = d.v_cache = address(2);
  d.q = address(3);
  append_tensors(d).k_new = address(4);
  append_tensors(d).v_new = address(5);
  d.k_descale = address(6);
  d.v_descale = address(7);
  const auto table = [](uintptr_t number) { return static_cast<const int32_t*>(address(number)); };
  d.q_indptr = table(8);
  d.kv_indptr = table(9);
  d.kv_page_indices = table(10);
  d.kv_last_page_lens = table(11);
  d.block_table = table(12);
  d.seqlen_k = table(13);
  d.output = address(14);
  d.lse = static_cast<float*>(address(15));
  return p;
}

struct Misplaced {
  std::function<void(DeviceTensors&)> spoil;
  const char* error;
};

// A pool is 16 KiB, 0x4000; a chunk 37 x 2 x 64 x 2 bytes, 0x2500; the output 0x4a00; the LSE 0x250.
const Misplaced misplaced[] = {
    {[](DeviceTensors& d) { append_tensors(d).k_new = nullptr; },
     "k_new = null: must be a device pointer for this problem"},
    {[](DeviceTensors& d) {
       append_tensors(d).v_new = static_cast<const char*>(append_tensors(d).v_new) + 8;
     },
     "v_new = 0x50008: must be aligned to 16 bytes"},
    {[](DeviceTensors& d) { d.k_descale = nullptr; },
     "k_scale = null: must be a device pointer for this problem"},
    {[](DeviceTensors& d) { d.k_cache = address(20); }, "k_cache = 0x140000: must be k_pool, 0x10000"},
    {[](DeviceTensors& d) { d.v_pool = address(20); }, "v_cache = 0x20000: must be v_pool, 0x140000"},
    {[](DeviceTensors& d) { d.v_pool = d.v_cache = d.k_cache; },
     "v_cache = 0x10000 to 0x14000: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { append_tensors(d).k_new = static_cast<const char*>(d.k_pool) + 0x3ff0; },
     "k_new = 0x13ff0 to 0x164f0: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { append_tensors(d).v_new = static_cast<const char*>(d.k_pool) - 0x24f0; },
     "v_new = 0xdb10 to 0x10010: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.q = d.v_pool; },
     "q = 0x20000 to 0x24a00: must not overlap v_cache, which the call writes (0x20000 to 0x24000)"},
    {[](DeviceTensors& d) { d.output = static_cast<char*>(d.v_cache) + 0x100; },
     "output = 0x20100 to 0x24b00: must not overlap v_cache, which the call writes (0x20000 to 0x24000)"},
    {[](DeviceTensors& d) { d.lse = static_cast<float*>(d.output); },
     "lse = 0xe0000 to 0xe0250: must not overlap output, which the call writes (0xe0000 to 0xe4a00)"},
    {[](DeviceTensors& d) { d.v_descale = static_cast<const char*>(d.k_pool) + 0x80; },
     "v_scale = 0x10080 to 0x10084: must not overlap k_cache, which the call writes (0x10000 to 0x14000)"},
    {[](DeviceTensors& d) { d.kv_page_indices = static_cast<const int32_t*>(d.output); },
     "kv_page_indices = 0xe0000 to 0xe001c: must not overlap output, which the call writes (0xe0000 to "
     "0xe4a00)"},
};

} // namespace

TEST_CASE("append_prefill: nothing may lie in the memory that a call writes") {
  for (const char* text : {"append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1",
                           "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1/table=vllm"}) {
    const Placed p = placed(text);
    REQUIRE_NOTHROW(validate(p.problem, p.tensors, p.device));
  }
  for (const Misplaced& row : misplaced) {
    CAPTURE(row.error);
    Placed p = placed("append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1");
    row.spoil(p.device);
    REQUIRE_THROWS_WITH(validate(p.problem, p.tensors, p.device), row.error);
  }
  // Inputs may lie where they like among each other, and right behind the cache.
  Placed p = placed(sglang);
  append_tensors(p.device).v_new = append_tensors(p.device).k_new = p.device.q;
  p.device.k_descale = static_cast<const char*>(p.device.k_pool) + 0x4000;
  REQUIRE_NOTHROW(validate(p.problem, p.tensors, p.device));
}

TEST_CASE("no input may lie in an output, whatever the operator") {
  for (const char* text : {"batch_prefill/h=4:2/sq=30,7/sk=70,7/d=64/lse=1",
                           "sparse_prefill/h=64/n=3/pool=40/chunk=3/scale=0.05/lse=1"}) {
    CAPTURE(text);
    const Problem problem = parse_case(text);
    const Tensors tensors = workload::make_tensors(problem);
    const auto judge = [&](void* output, void* lse) {
      DeviceTensors device;
      for (const TensorEntry& entry : problem.op->facts().tensors)
        if (entry.device.set != nullptr) entry.device.set(device, address(1));
      device.output = output;
      device.lse = static_cast<float*>(lse);
      validate(problem, tensors, device);
    };
    REQUIRE_NOTHROW(judge(address(100), address(200)));
    REQUIRE_THROWS_AS(judge(address(1), address(200)), InvalidInput);
    REQUIRE_THROWS_AS(judge(address(100), address(1)), InvalidInput);
    REQUIRE_THROWS_AS(judge(address(100), address(100)), InvalidInput);
  }
}

TEST_CASE("an output may lie in no page of a pool that K and V share, nor between its pages") {
  const Problem problem = parse_case("batch_prefill/h=4:2/sq=3/sk=70/d=64/lse=1/interleaved=1");
  const Tensors tensors = workload::make_tensors(problem);
  const auto page = static_cast<uintptr_t>(problem.page_elements() * 2);
  const uintptr_t pages = 2 * static_cast<uintptr_t>(tensors.pool_pages()), begin = 1 << 20;
  const auto judge = [&](uintptr_t output) {
    DeviceTensors device;
    for (const TensorEntry& entry : problem.op->facts().tensors)
      if (entry.device.set != nullptr) entry.device.set(device, address(1));
    device.k_pool = reinterpret_cast<const void*>(begin);
    device.v_pool = reinterpret_cast<const void*>(begin + page);
    device.k_page_stride = device.v_page_stride = 2 * problem.page_elements();
    device.output = reinterpret_cast<void*>(output);
    device.lse = static_cast<float*>(address(200));
    validate(problem, tensors, device);
  };
  REQUIRE_NOTHROW(judge(begin + pages * page));
  for (uintptr_t number = 0; number < pages; ++number)
    REQUIRE_THROWS_AS(judge(begin + number * page), InvalidInput);
}
