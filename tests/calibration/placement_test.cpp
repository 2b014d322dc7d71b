// Where buffers lie: the model's caches are hashed, so it moves no calibration kernel.
#include "calibration/gemm.hpp"
#include "calibration/micro.hpp"
#include "harness/perf/modelled_launch.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <functional>
#include <random>

using namespace fmha950;

namespace {

constexpr int placements = 5;
constexpr double allowed_spread = 0.01;

// The clocks of a launch with its buffers at places drawn by a seed: the slowest over the fastest, less 1.
double spread_of_clocks(const std::function<double()>& clocks) {
  std::mt19937_64 random(26);
  std::vector<hip::Buffer> before;
  double fastest = INFINITY, slowest = 0;
  for (int placement = 0; placement < placements; ++placement) {
    for (int i = 0; i < 3; ++i)
      before.emplace_back((1 + random() % 4096) * 4096); // at most 16 MiB, untouched
    const double now = clocks();
    fastest = std::min(fastest, now), slowest = std::max(slowest, now);
  }
  return slowest / fastest - 1;
}

double modelled_clocks(const std::string& timing, const std::function<void()>& launch) {
  const harness::TimingInForce in_force(timing);
  launch();
  return harness::timing_of_launch().at("runs").at(0).at("clocks").get<double>();
}

} // namespace

TEST_CASE("placement: random places of its buffers move no GEMM by more than a hundredth") {
  const std::vector<uint32_t> of_chiplet_0{0, 8};
  for (const calibration::GemmKernel& kernel : calibration::gemm_kernels())
    for (const char* timing : {"chiplet", "samples,cold"}) {
      CAPTURE(kernel.name, timing);
      CHECK(spread_of_clocks([&] {
              calibration::Gemm gemm(kernel.name, {2048, 2048, 2048}, {8, 64});
              gemm.prepare(&of_chiplet_0);
              return modelled_clocks(timing, [&] { gemm.launch(nullptr, &of_chiplet_0); });
            }) <= allowed_spread);
    }
}

TEST_CASE("placement: nor do they move a whole round of a chiplet, which shares its L2") {
  std::vector<uint32_t> round; // one workgroup on each of chiplet 0's CUs
  for (uint32_t n = 0; n < 256; n += 8) round.push_back(n);
  for (const calibration::GemmKernel& kernel : calibration::gemm_kernels()) {
    CAPTURE(kernel.name);
    CHECK(spread_of_clocks([&] {
            calibration::Gemm gemm(kernel.name, {4096, 4096, 1024}, {8, 64});
            gemm.prepare(&round);
            return modelled_clocks("chiplet", [&] { gemm.launch(nullptr, &round); });
          }) <= allowed_spread);
  }
}

TEST_CASE("placement: random places move no micro-kernel that reads memory by more than a hundredth") {
  const std::vector<uint32_t> table = calibration::chase_table(1 << 20, 65599);
  for (const calibration::MicroKernel& kernel : calibration::micro_kernels()) {
    if (kernel.table != calibration::MicroTable::chase) continue;
    CAPTURE(kernel.name);
    CHECK(spread_of_clocks([&] {
            const calibration::Micro micro(kernel.name, table);
            return modelled_clocks("samples,cold", [&] { micro.launch(12, nullptr); });
          }) <= allowed_spread);
  }
}

TEST_CASE("placement: rows that are 16 KiB apart are no exception") {
  const std::vector<uint32_t> first_tile{0};
  CHECK(spread_of_clocks([&] {
          calibration::Gemm gemm("gemm_bf16_32_ping_pong", {8192, 8192, 8192}, {8, 64});
          gemm.prepare(&first_tile);
          return modelled_clocks("samples,cold", [&] { gemm.launch(nullptr, &first_tile); });
        }) <= allowed_spread);
}

TEST_CASE("placement: with sets of an address's low bits the spread is seen") {
  // Rows of two matrices, 16 KiB apart: those of one meet in one set, which has room for one matrix and not for both.
  constexpr uint64_t sets = 64, ways = 128, rows = 96, row_lines = 128;
  std::mt19937_64 random(27);
  CHECK(spread_of_clocks([&] {
          std::vector<std::vector<uint64_t>> cache(sets);
          const hip::Buffer a(rows * row_lines * 128), between((1 + random() % 64) * 4096),
              b(rows * row_lines * 128);
          double clocks = 0;
          for (int step = 0; step < 16; ++step)
            for (const hip::Buffer* matrix : {&a, &b})
              for (uint64_t row = 0; row < rows; ++row) {
                const uint64_t line =
                    reinterpret_cast<uint64_t>(matrix->get()) / 128 + row * row_lines + step / 8;
                std::vector<uint64_t>& set = cache[line % sets];
                const auto found = std::ranges::find(set, line);
                clocks += found == set.end() ? 500 : 125;
                if (found != set.end()) set.erase(found);
                if (set.size() == ways) set.erase(set.begin());
                set.push_back(line);
              }
          return clocks;
        }) > allowed_spread);
}
