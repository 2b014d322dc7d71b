// The GEMM kernels against Eigen in float64, with every hazard check on.
#include "calibration/gemm.hpp"
#include "tests/calibration/device_checks.hpp"

#include "tests/support/catch.hpp"
#include <Eigen/Core>

using namespace fmha950;
using namespace fmha950::calibration;
using fmha950::test::DeviceChecks;

namespace {

using Matrix = Eigen::MatrixXd;

Matrix rows(uint32_t tile, uint32_t k, const auto& row) {
  Matrix result(tile_edge, k);
  for (uint32_t i = 0; i < tile_edge; ++i) {
    const Tensor values = row(tile * tile_edge + i);
    for (uint32_t j = 0; j < k; ++j) result(i, j) = double(values.value(j));
  }
  return result;
}

// The largest error of a workgroup's tile, of what is allowed: half an ulp of bf16 and k roundings in fp32 of
// sums no larger than those of the magnitudes.
double worst_error(const Gemm& gemm, uint32_t k, uint32_t workgroup) {
  const TilePlace place = gemm.place(workgroup);
  const Matrix a = rows(place.row, k, [&](uint32_t i) { return gemm.row_of_a(i); });
  const Matrix b = rows(place.column, k, [&](uint32_t i) { return gemm.row_of_b(i); });
  const Matrix expected = a * b.transpose(), magnitudes = a.cwiseAbs() * b.cwiseAbs().transpose();
  const Tensor tile = gemm.tile(workgroup);
  double worst = 0;
  for (uint32_t i = 0; i < tile_edge; ++i)
    for (uint32_t j = 0; j < tile_edge; ++j) {
      const double allowed = std::abs(expected(i, j)) * 0x1p-8 + k * 0x1p-24 * magnitudes(i, j);
      const double error = std::abs(double(tile.value(i * tile_edge + j)) - expected(i, j));
      worst = std::max(worst, std::isnan(error) ? INFINITY : error / allowed);
    }
  return worst;
}

void check_gemm(const GemmKernel& kernel, GemmShape shape, TileOrder order, const std::vector<uint32_t>* only,
                const std::string& schedule = "eager") {
  CAPTURE(kernel.name, shape.m, shape.n, shape.k, order.window, order.chunk, schedule);
  const DeviceChecks checks(schedule);
  Gemm gemm(kernel.name, shape, order);
  gemm.prepare(only);
  gemm.launch(nullptr, only);
  CHECK(checks.findings() == "");
  for (uint32_t workgroup = 0; workgroup < gemm.workgroups(); ++workgroup)
    if (!only || std::ranges::count(*only, workgroup) > 0) {
      CAPTURE(workgroup);
      CHECK(worst_error(gemm, shape.k, workgroup) <= 1);
    }
}

} // namespace

TEST_CASE("GEMM: one tile, few steps, under a prompt, a late and a random memory") {
  for (const GemmKernel& kernel : gemm_kernels())
    for (const char* schedule : {"eager", "lazy", "random:1,random:2"})
      check_gemm(kernel, {256, 256, 256}, row_by_row, nullptr, schedule);
}

TEST_CASE("GEMM: the fewest steps that a kernel takes") {
  for (const GemmKernel& kernel : gemm_kernels())
    check_gemm(kernel, {256, 256, kernel.element == ElementType::bf16 ? 128u : 256u}, row_by_row, nullptr);
}

TEST_CASE("GEMM: tiles of different rows and columns, an odd number of steps") {
  for (const GemmKernel& kernel : gemm_kernels()) check_gemm(kernel, {512, 256, 384}, {8, 64}, nullptr);
  for (const GemmKernel& kernel : gemm_kernels())
    check_gemm(kernel, {256, 768, 640}, row_by_row, nullptr, "lazy");
}

TEST_CASE("GEMM: some workgroups of a larger problem in every order, and no others") {
  const std::vector<uint32_t> only{3, 61};
  for (const GemmKernel& kernel : gemm_kernels()) {
    const TileOrder order = kernel.threads == 256 ? TileOrder{8, 64} : TileOrder{2, 8};
    check_gemm(kernel, {2048, 2048, 512}, order, &only);
  }
  Gemm gemm("gemm_bf16_16_ping_pong", {2048, 2048, 512}, {4, 16});
  gemm.prepare(&only);
  gemm.launch(nullptr, &only);
  const Tensor untouched = gemm.tile(4);
  CHECK(std::ranges::count(untouched.as<uint16_t>(), 0) == untouched.elements());
  CHECK(worst_error(gemm, 512, 61) <= 1);
}

TEST_CASE("GEMM: a workgroup of the published size") {
  const std::vector<uint32_t> only{517};
  for (const GemmKernel& kernel : gemm_kernels()) check_gemm(kernel, {8192, 8192, 8192}, {8, 64}, &only);
}

TEST_CASE("GEMM: a wrong element shows") {
  Gemm gemm("gemm_bf16_16_ping_pong", {256, 512, 128}, row_by_row);
  gemm.prepare();
  gemm.launch(nullptr);
  CHECK(worst_error(gemm, 128, 0) <= 1);
  const Gemm longer("gemm_bf16_16_ping_pong", {256, 512, 192}, row_by_row); // nothing computed
  CHECK(worst_error(longer, 192, 0) > 1);
}

TEST_CASE("GEMM: what cannot be computed is refused with what would be right") {
  const char* const kernel = "gemm_bf16_16_ping_pong";
  CHECK_THROWS_WITH(Gemm("gemm", {256, 256, 256}, row_by_row),
                    Catch::StartsWith("GEMM kernel = gemm: must be one of gemm_bf16_16_ping_pong, "));
  CHECK_THROWS_WITH(Gemm(kernel, {128, 256, 256}, row_by_row),
                    "m = 128: must be a multiple of 256 from 256 to 1048576");
  CHECK_THROWS_WITH(Gemm(kernel, {256, 300, 256}, row_by_row),
                    "n = 300: must be a multiple of 256 from 256 to 1048576");
  CHECK_THROWS_WITH(Gemm(kernel, {256, 256, 64}, row_by_row),
                    "k = 64: must be a multiple of 64 from 128 to 4194304");
  CHECK_THROWS_WITH(Gemm("gemm_fp8_16_ping_pong", {256, 256, 320}, row_by_row),
                    "k = 320: must be a multiple of 128 from 256 to 8388608");
  CHECK_THROWS_WITH(Gemm(kernel, {256, 256, 256}, {65, 64}), "window = 65: must be at most 64");
  CHECK_THROWS_WITH(Gemm(kernel, {256, 256, 256}, {8, 0}),
                    "chunk = 0: must be 1 to 16777216 where there is a window");
}
