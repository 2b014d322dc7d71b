// The cache of append_prefill over several calls and runs: what is brought back to it, and when.
#include "harness/device/device_cache.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// What stands for a call: it writes to the cache.
void write(DeviceCache& cache, std::byte value) {
  hip::check(hip::api().Memset(cache.v().get(), std::to_integer<int>(value), 1), "hipMemset");
}

std::byte first_byte(const DeviceCache& cache) { return cache.download()[cache.k().bytes()]; }

} // namespace

TEST_CASE("the cache of append_prefill is kept between calls and brought back between runs of one") {
  const Problem problem = parse_case("append_prefill/h=2:1/sq=9/sk=50/d=64/spare=2");
  const Tensors tensors = workload::make_tensors(problem);
  const std::byte original = tensors.v_pool.data()[0], written = original ^ std::byte{1};
  DeviceCache cache(problem, tensors);
  CHECK(first_byte(cache) == original);
  CHECK(cache.download().size() == tensors.k_pool.bytes() + tensors.v_pool.bytes());

  cache.begin_call(tensors);
  cache.before_run(true);
  write(cache, written);
  cache.before_run(true); // the same call, again
  CHECK(first_byte(cache) == original);
  write(cache, written);

  cache.begin_call(tensors); // what that one has left is not taken from the host
  cache.before_run(true);
  CHECK(first_byte(cache) == written);
  cache.before_run(false);
  CHECK(first_byte(cache) == original);
  write(cache, written);

  cache.begin_call(tensors); // of the call before it only a part was run
  cache.before_run(true);
  CHECK(first_byte(cache) == original);
}
