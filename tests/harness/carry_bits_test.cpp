// The verdict on addresses: pools lie where a probe wants them, and bits that depend on the carry are noticed.
#include "fake_implementation.hpp"
#include "harness/device/device_case.hpp"
#include "harness/probe/carry_bits.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::optional<std::string> verdict() {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=3/sk=40");
  return carry_difference(find_implementation("fake_a"), problem, workload::make_tensors(problem));
}

} // namespace

TEST_CASE("pools begin where a probe wants them, and hold what they held", "[unsanitized]") {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=3/sk=100/page=16");
  Tensors tensors = workload::make_tensors(problem);
  for (const PoolPlace place : {PoolPlace{uint64_t{1} << 32, 5000}, PoolPlace{uint64_t{1} << 31, 0},
                                PoolPlace{uint64_t{1} << 32, 256}}) {
    tensors.pool_place = place;
    const DeviceCase device(problem, tensors);
    for (const auto& [pool, host] : {std::pair{device.tensors().k_pool, &tensors.k_pool},
                                     std::pair{device.tensors().v_pool, &tensors.v_pool}}) {
      CHECK((reinterpret_cast<uint64_t>(pool) + place.before) % place.line == 0);
      CHECK(std::memcmp(pool, host->data(), host->bytes()) ==
            0); // the embedded device's memory is the host's
    }
  }
}

TEST_CASE("carry bits: the same bits both times pass, one other output does not", "[unsanitized]") {
  fake::reset_behaviours();
  CHECK(verdict() == std::nullopt);
  fake::behaviour("fake_a").spoil = [](std::vector<double>& output, int run) {
    if (run == 1) output[5] = -output[5];
  };
  const std::optional<std::string> different = verdict();
  REQUIRE(different);
  CHECK(*different ==
        "other bits where the carry of a buffer's address is dropped: 1 output bytes, 0 LSE bytes");
}
