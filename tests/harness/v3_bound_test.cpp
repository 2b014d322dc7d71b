// What AMD's own V3 rules out, and that no interval holds it.
#include "harness/perf/clock_law.hpp"
#include "harness/perf/v3_bound.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace fmha950::harness;

TEST_CASE("v3 bound: a word adds what its column says, or what V3 does of it") {
  CHECK(least_v3_clocks("") == Approx(3337).margin(1)); // block scale; docs/timing.md#what-waits-for-memory
  CHECK(least_v3_clocks("exp16") == Approx(3857).margin(1));
  CHECK(least_v3_clocks("cvt8") == least_v3_clocks("") + 32 * 4);
  CHECK(least_v3_clocks("barrier40") == least_v3_clocks("") + 32);
  CHECK(least_v3_clocks("dma64") == least_v3_clocks(""));
  CHECK(least_v3_clocks("lds128+mfma_slot") ==
        Approx(least_v3_clocks("lds128") + least_v3_clocks("mfma_slot") - least_v3_clocks("")));
}

TEST_CASE(
    "v3 bound: slow exponentials, conversions of 16 clocks and all that is open together are ruled out") {
  for (const char* words : {"exp16", "cvt16", "lds128+mfma_slot+barrier40+dma64+cvt8+cold"}) {
    CAPTURE(words);
    CHECK(is_ruled_out_by_v3(words));
  }
}

TEST_CASE("v3 bound: the interval's sets are allowed, and with any other of its words they are not") {
  for (const AssumedClockLaw& assumed : assumed_clock_laws) {
    const std::string words(assumed.words);
    CAPTURE(words);
    CHECK_FALSE(is_ruled_out_by_v3(words));
    if (words.find('+') == words.npos) continue;
    for (const AssumedClockLaw& other : assumed_clock_laws)
      if (other.words.find('+') == other.words.npos && words.find(other.words) == words.npos)
        CHECK(is_ruled_out_by_v3(words + "+" + std::string(other.words)));
  }
}
