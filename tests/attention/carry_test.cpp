// Which pieces of memory have a multiple of 4 GiB inside, and memory without.
#include "attention/host/carry.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using attention::carries_inside;

namespace {

constexpr uint64_t line = uint64_t{1} << 32;
const void* at(uint64_t address) { return reinterpret_cast<const void*>(address); }

} // namespace

TEST_CASE("a piece carries if a multiple of 4 GiB lies behind its first byte and in front of its end") {
  CHECK_FALSE(carries_inside(at(line), 1, 4096)); // at its first byte
  CHECK(carries_inside(at(line - 1), 1, 4096));
  CHECK_FALSE(carries_inside(at(line - 4096), 1, 4096)); // at its end
  CHECK(carries_inside(at(line - 4095), 1, 4096));
  CHECK_FALSE(carries_inside(at(line - 2 * 4096), 5, 4096)); // between two
  CHECK(carries_inside(at(line - 2 * 4096 + 1), 5, 4096));
  CHECK(carries_inside(at(0), 1, line + 1));
  CHECK_FALSE(carries_inside(at(0), 8, line / 2));
  CHECK(carries_inside(at(4096), 3, line / 2 * 3)); // the second multiple
  CHECK_FALSE(carries_inside(at(line - 1), 0, 4096));
}

TEST_CASE("pieces start so that a multiple of 4 GiB falls between two of them") {
  constexpr uint64_t bytes = 3 << 20;
  CHECK(attention::start_without_carry(at(line + 64), 7, bytes) == 0);
  for (const uint64_t before : {uint64_t{64}, bytes - 64, bytes + 4096, 6 * bytes + 64}) {
    INFO(before);
    const void* const begin = at(line - before);
    const uint64_t start = attention::start_without_carry(begin, 7, bytes);
    CHECK(start == before % bytes);
    CHECK_FALSE(carries_inside(at(line - before + start), 7, bytes));
  }
  // Two multiples, and pieces that no whole number of makes 4 GiB.
  CHECK(attention::start_without_carry(at(64), 3, line - 4096) == 0);
}

// The device's addresses only grow, by what is allocated.
TEST_CASE("memory for pieces has no multiple of 4 GiB inside of one", "[unsanitized]") {
  constexpr uint64_t bytes = 3 << 20, pieces = 7;
  const auto here = reinterpret_cast<uint64_t>(hip::Buffer(64).get());
  const uint64_t before = bytes + bytes / 2;
  const hip::Buffer filler((here / line + 1) * line - here - before);
  const hip::Buffer plain(pieces * bytes);
  REQUIRE(carries_inside(plain.get(), pieces, bytes));
  const hip::Buffer next_filler((here / line + 2) * line - reinterpret_cast<uint64_t>(plain.get()) -
                                pieces * bytes - before);
  const attention::PieceBuffer buffer(pieces, bytes);
  CHECK_FALSE(carries_inside(buffer.as<void>(), pieces, bytes));
}
