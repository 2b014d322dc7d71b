// The LDS counters of kernels that the embedded device executed, exactly: what lds_phases.hpp says of the
// addresses that the kernel was told to access, and what was published.
#include "calibration/gemm.hpp"
#include "calibration/micro.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "harness/perf/modelled_launch.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::calibration;
using fmha950::harness::TimingInForce;

namespace {

constexpr uint32_t lanes = 64, lds_words = micro_lds_bytes / 4;

struct Counters {
  uint64_t instructions = 0, conflicts = 0;
  bool operator==(const Counters&) const = default;
};

Counters counters_of_last_launch() {
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  const auto lds = nlohmann::json::parse(hip::api().Timings()).at("lds");
  return {lds.at("instructions"), lds.at("conflicts")};
}

// The counters of `iterations` more than one, so that what a kernel reads to report does not count.
template <class Address> Counters counters(const char* kernel, uint32_t iterations, Address address) {
  std::vector<uint32_t> table(lanes + lds_words);
  for (uint32_t lane = 0; lane < lanes; ++lane) table[lane] = address(lane);
  const Micro micro(kernel, table);
  const TimingInForce timing("samples");
  const auto count = [&](uint32_t n) {
    micro.launch(n, nullptr);
    return counters_of_last_launch();
  };
  const Counters one = count(1), more = count(1 + iterations);
  return {more.instructions - one.instructions, more.conflicts - one.conflicts};
}

struct Access {
  const char* kernel;
  timing::LdsDirection direction;
  uint32_t bytes;
};
const std::vector<Access> accesses = {{"micro_lds_read_b64", timing::LdsDirection::read, 8},
                                      {"micro_lds_read_b96", timing::LdsDirection::read, 12},
                                      {"micro_lds_read_b128", timing::LdsDirection::read, 16},
                                      {"micro_lds_write_b64", timing::LdsDirection::write, 8}};

} // namespace

TEST_CASE("LDS counters: micro-kernels conflict exactly as the phases say, access by access") {
  using Address = uint32_t (*)(uint32_t lane);
  const std::vector<std::pair<const char*, Address>> patterns = {
      {"one word for all", [](uint32_t) { return 0u; }},
      {"in a row", [](uint32_t lane) { return 16 * lane; }},
      {"all on one bank", [](uint32_t lane) { return lane * 37 % 63 * 256; }},
      {"rows of 128 bytes", [](uint32_t lane) { return lane % 16 * 128 + lane / 16 * 16; }},
      {"scattered", [](uint32_t lane) { return lane * 2654435761u % 1000 * 16; }},
      {"two lanes on one bank", [](uint32_t lane) { return lane == 1 ? 4096u : 0u; }},
  };
  for (const Access& access : accesses)
    for (const auto& [name, address] : patterns) {
      CAPTURE(access.kernel, name);
      uint32_t addresses[lanes];
      for (uint32_t lane = 0; lane < lanes; ++lane) addresses[lane] = address(lane);
      const int each =
          timing::lds_phases(access.direction, static_cast<int>(access.bytes), addresses, ~uint64_t{0})
              .conflicts;
      const uint64_t executed = 3 * lds_access_steps;
      CHECK(counters(access.kernel, 3, address) ==
            Counters{executed, executed * static_cast<uint64_t>(each)});
    }
}

// data/calibration/lds_conflict_counters.csv: of one instruction.
TEST_CASE("LDS counters: micro-kernels count what hardware counted") {
  const auto conflicts_of_each = [](const char* kernel, auto address) {
    const Counters counted = counters(kernel, 1, address);
    REQUIRE(counted.instructions == lds_access_steps);
    return counted.conflicts / lds_access_steps;
  };
  const auto pair = [](uint32_t lane) { return lane == 1 ? 4096u : 0u; };
  CHECK(conflicts_of_each("micro_lds_read_b64", pair) == 1);
  CHECK(conflicts_of_each("micro_lds_read_b96", pair) == 1);
  CHECK(conflicts_of_each("micro_lds_read_b128", pair) == 1);
  CHECK(conflicts_of_each("micro_lds_write_b64", [](uint32_t lane) { return 256 * (lane % 64); }) == 60);
}

TEST_CASE("LDS counters: no GEMM kernel has a conflict, as the published one had none") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    CAPTURE(kernel.name);
    Gemm gemm(kernel.name, {256, 256, 512}, row_by_row);
    gemm.prepare();
    const TimingInForce timing("samples");
    gemm.launch(nullptr);
    const Counters counted = counters_of_last_launch();
    CHECK(counted.instructions > 0);
    CHECK(counted.conflicts == 0);
  }
}
