#include "emulator/observe/order/numbered_log.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("Entries of a log that are no longer needed go, the others stay", "[lds_order]") {
  observe::NumberedLog<uint32_t> log;
  log.clear(7);
  for (uint32_t number = 7; number < 50'000; ++number) {
    log.put(number, 3 * number);
    const uint32_t needed = number > 5000 ? number - 1000 : 7;
    log.drop_before(needed);
    REQUIRE(log[needed] == 3 * needed);
    REQUIRE(log[number] == 3 * number);
    REQUIRE(log.held() < 12'000);
  }
  log.drop_before(60'000); // more than there are
  log.put(70'000, 1);      // the numbers between stay empty
  CHECK(log[70'000] == 1);
}
