#include "workload/philox.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::workload;

TEST_CASE("philox gives the known answers of Random123's kat_vectors") {
  using Counter = PhiloxCounter;
  CHECK(philox({0, 0, 0, 0}, 0) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, ~0ull) == Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ull) ==
        Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the normal quantile agrees with tables") {
  // Probability and quantile from the NIST handbook and Wichura's own test values.
  const std::pair<double, double> table[] = {
      {0.5, 0.0}, {0.975, 1.959963985}, {0.25, -0.6744897502}, {0.001, -3.090232306}, {1e-20, -9.262340090}};
  for (const auto& [probability, quantile] : table)
    CHECK(normal_quantile(probability) == Approx(quantile).epsilon(1e-6).margin(1e-7));
}

TEST_CASE("normals have the moments of N(0, 1)") {
  double sum = 0, squares = 0, fourth = 0;
  constexpr int n = 100000;
  for (uint32_t i = 0; i < n / 4; ++i)
    for (uint32_t bits : philox({i, 0, 0, 0}, 7)) {
      const double x = normal_from_bits(bits);
      sum += x;
      squares += x * x;
      fourth += x * x * x * x;
    }
  CHECK(sum / n == Approx(0).margin(0.015)); // five standard errors
  CHECK(squares / n == Approx(1).margin(0.023));
  CHECK(fourth / n == Approx(3).margin(0.16));
}
