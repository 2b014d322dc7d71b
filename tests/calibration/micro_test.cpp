// The micro-kernels compute what their sources say, with every hazard check on.
#include "calibration/micro.hpp"
#include "tests/calibration/device_checks.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace fmha950;
using namespace fmha950::calibration;
using fmha950::test::DeviceChecks;

namespace {

constexpr uint32_t lanes = 64, lds_words = micro_lds_bytes / 4;

std::vector<uint32_t> run(const char* kernel, uint32_t iterations, const std::vector<uint32_t>& table = {}) {
  const DeviceChecks checks;
  const Micro micro(kernel, table);
  micro.launch(iterations, nullptr);
  CHECK(checks.findings() == "");
  return micro.output();
}

float as_float(uint32_t word) { return std::bit_cast<float>(word); }

// Addresses that are a permutation of so many bytes each, then an LDS of which word w holds w + 1000.
std::vector<uint32_t> scattered_addresses(uint32_t bytes) {
  std::vector<uint32_t> table(lanes + lds_words);
  for (uint32_t lane = 0; lane < lanes; ++lane) table[lane] = lane * 37 % lanes * bytes;
  std::iota(table.begin() + lanes, table.end(), 1000);
  return table;
}

} // namespace

TEST_CASE("micro: matrix instructions add up in one chain and in four streams") {
  for (const auto& [kernel, streams] : {std::pair{"micro_mfma_chain", 1u}, {"micro_mfma_streams", 4u}})
    for (const uint32_t iterations : {1u, 7u}) {
      CAPTURE(kernel, iterations);
      const auto output = run(kernel, iterations);
      REQUIRE(output.size() == streams * 4 * lanes);
      for (uint32_t n = 0; n < 4 * streams; ++n)
        for (uint32_t lane = 0; lane < lanes; ++lane) {
          const uint32_t row = lane / 16 * 4 + n % 4, column = lane % 16;
          CHECK(as_float(output[n * lanes + lane]) ==
                static_cast<float>(iterations * mfma_steps / streams * (row + 1) * (column + 1)));
        }
    }
}

TEST_CASE("micro: a chain of multiply-adds") {
  const auto output = run("micro_fma_chain", 1);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    float x = static_cast<float>(lane);
    for (int i = 0; i < fma_steps; ++i) x = std::fma(x, 0.5f, 1.f);
    CHECK(as_float(output[lane]) == x);
  }
  CHECK(as_float(run("micro_fma_chain", 3)[63]) == 2); // its limit
}

TEST_CASE("micro: code of many lines adds up in each of its waves") {
  for (const auto& [kernel, steps] :
       {std::pair{"micro_code_4", 4}, {"micro_code_59", 59}, {"micro_code_91", 91}}) {
    CAPTURE(kernel);
    constexpr uint32_t outputs = 1 + code_line_valus;
    const auto output = run(kernel, 2);
    REQUIRE(output.size() == code_waves * outputs * lanes);
    for (uint32_t n = 0; n < code_waves * outputs; ++n)
      for (uint32_t lane = 0; lane < lanes; ++lane)
        CHECK(as_float(output[n * lanes + lane]) ==
              static_cast<float>(2 * steps * code_lines * (n % outputs == 0 ? 16 : 1)));
  }
}

TEST_CASE("micro: powers of two") {
  const auto output = run("micro_exp", 2);
  REQUIRE(output.size() == exp_steps * lanes);
  for (uint32_t n = 0; n < exp_steps; ++n)
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const double expected = std::exp2((double(lane) - n) / 8);
      CHECK(std::abs(double(as_float(output[n * lanes + lane])) - expected) <= expected * 0x1p-22);
    }
}

TEST_CASE("micro: chases through memory and through LDS come to where the table leads") {
  for (const uint32_t iterations : {1u, 5u}) {
    CAPTURE(iterations);
    const auto far = chase_table(8192, 4099);
    const auto in_memory = run("micro_global_chase", iterations, far);
    const auto near = chase_table(lds_words, 1237);
    const auto in_lds = run("micro_lds_gather", iterations, near);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      uint32_t expected_far = lane * 4, expected_near = lane * 4;
      for (uint32_t i = 0; i < iterations * global_chase_steps; ++i) expected_far = far[expected_far / 4];
      for (uint32_t i = 0; i < iterations * lds_gather_steps; ++i) expected_near = near[expected_near / 4];
      CHECK(in_memory[lane] == expected_far);
      CHECK(in_lds[lane] == expected_near);
    }
  }
}

TEST_CASE("micro: LDS is read at the lanes' addresses") {
  for (const auto& [kernel, words] :
       {std::pair{"micro_lds_read_b64", 2u}, {"micro_lds_read_b96", 3u}, {"micro_lds_read_b128", 4u}}) {
    CAPTURE(kernel);
    const auto table = scattered_addresses(words == 2 ? 8 : 16);
    const auto output = run(kernel, 2, table);
    REQUIRE(output.size() == words * lanes);
    for (uint32_t w = 0; w < words; ++w)
      for (uint32_t lane = 0; lane < lanes; ++lane)
        CHECK(output[w * lanes + lane] == 1000 + table[lane] / 4 + w);
  }
}

TEST_CASE("micro: LDS is written at the lanes' addresses and nowhere else") {
  const auto table = scattered_addresses(256);
  const auto output = run("micro_lds_write_b64", 2, table);
  std::vector<uint32_t> expected(table.begin() + lanes, table.end());
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    expected[table[lane] / 4] = lane;
    expected[table[lane] / 4 + 1] = lane + lanes;
  }
  CHECK(output == expected);
}

TEST_CASE("micro: the chase tables come to every word") {
  const auto table = chase_table(4096, 1237);
  uint32_t offset = 0, steps = 0;
  do {
    offset = table[offset / 4];
    ++steps;
  } while (offset != 0);
  CHECK(steps == 4096);
  CHECK_THROWS_WITH(chase_table(64, 6), "stride = 6: must have no divisor in common with 64");
}

TEST_CASE("micro: tables that do not fit are refused with what would be right") {
  CHECK_THROWS_WITH(Micro("micro"), Catch::StartsWith("micro-kernel = micro: must be one of micro_mfma_ch"));
  CHECK_THROWS_WITH(Micro("micro_exp", {1}), "table = 1 words: must have 0 words");
  CHECK_THROWS_WITH(Micro("micro_global_chase", {0, 0}),
                    Catch::StartsWith("table = 2 words: must have 64 to "));
  auto chase = chase_table(64, 3);
  chase[5] = 256;
  CHECK_THROWS_WITH(Micro("micro_global_chase", chase), "table[5] = 256: must be a multiple of 4 up to 252");
  CHECK_THROWS_WITH(Micro("micro_lds_gather", chase), "table = 64 words: must have 4096 words");
  auto addresses = scattered_addresses(16);
  addresses[63] = micro_lds_bytes - 12;
  CHECK_THROWS_WITH(Micro("micro_lds_read_b128", addresses),
                    "table[63] = 16372: must be a multiple of 4 up to 16368");
  CHECK_NOTHROW(Micro("micro_lds_read_b96", addresses));
  CHECK_THROWS_WITH(Micro("micro_exp").launch(0, nullptr), "iterations = 0: must be at least 1");
}
