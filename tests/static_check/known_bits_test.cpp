// Bits that are known of a result, against every value that the sources may have.
#include "emulator/static_check/known_bits.hpp"

#include "tests/support/catch.hpp"
#include <functional>
#include <random>
#include <vector>

using namespace fmha950;
using static_check::KnownBits;

namespace {

// Few bits are unknown, so that all values can be gone through.
KnownBits some_bits(std::mt19937& random) {
  KnownBits bits = KnownBits::of(static_cast<uint32_t>(random()) >> (random() % 32));
  for (int i = 0; i < 3; ++i) bits.known &= ~(1u << random() % 32);
  bits.value &= bits.known;
  return bits;
}
std::vector<uint32_t> values_of(KnownBits bits) {
  std::vector<uint32_t> values;
  const uint32_t unknown = ~bits.known;
  uint32_t subset = 0;
  do {
    values.push_back(bits.value | subset);
    subset = (subset - unknown) & unknown;
  } while (subset != 0);
  return values;
}
bool may_be(KnownBits bits, uint32_t value) { return (value & bits.known) == bits.value; }

void check(const std::function<KnownBits(KnownBits, KnownBits)>& abstract,
           const std::function<uint32_t(uint32_t, uint32_t)>& concrete) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const KnownBits a = some_bits(random), b = some_bits(random);
    const KnownBits result = abstract(a, b);
    bool all = (result.value & ~result.known) == 0;
    for (uint32_t x : values_of(a))
      for (uint32_t y : values_of(b)) all &= may_be(result, concrete(x, y));
    CHECK(all);
    // Of known sources all is known.
    CHECK(abstract(KnownBits::of(a.value), KnownBits::of(b.value)) ==
          KnownBits::of(concrete(a.value, b.value)));
  }
}

} // namespace

TEST_CASE("known bits: sums, differences and shifts hold every value that they may have") {
  check(static_check::sum, [](uint32_t a, uint32_t b) { return a + b; });
  check(static_check::difference, [](uint32_t a, uint32_t b) { return a - b; });
  check(static_check::shifted_left, [](uint32_t a, uint32_t b) { return a << (b & 31); });
  check(static_check::shifted_right, [](uint32_t a, uint32_t b) { return a >> (b & 31); });
}

TEST_CASE("known bits: a truth table is followed bit by bit, a mask makes bits known") {
  for (uint32_t table : {0xC0u, 0xFCu, 0x3Cu, 0x30u})
    check([&](KnownBits a, KnownBits b) { return static_check::bitwise(table, a, b, {}); },
          [&](uint32_t a, uint32_t b) {
            uint32_t result = 0;
            for (uint32_t bit = 0; bit < 32; ++bit)
              result |= (table >> ((a >> bit & 1) * 4 + (b >> bit & 1) * 2) & 1) << bit;
            return result;
          });
  const KnownBits masked = static_check::bitwise(0xC0, {}, KnownBits::of(0x1000), {});
  CHECK(masked.least() == 0);
  CHECK(masked.most() == 0x1000);
  CHECK(static_check::sum(masked, KnownBits::of(0x4400)).most() == 0x5400);
  CHECK(static_check::common(KnownBits::of(5), KnownBits::of(4)) == KnownBits{4, ~1u});
}
