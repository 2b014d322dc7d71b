// What AMD's own V3 rules out. One workgroup on each CU at 2,400 MHz, it needs 2,985, 3,311 and 3,420 clocks for 64 keys of a row per
// tensor, 3,315, 3,578 and 3,683 with block scale (measured; docs/hardware/clock_and_calibration.md, "FP8 kernels", point 1; such slopes
// scatter by 10 %). What takes the model of either beyond 3,600 is taken to be wrong, and no interval holds it.
#include "emulator/timing/assumed.hpp"
#include "harness/perf/clock_data.hpp"
#include "harness/perf/clock_law.hpp"
#include "interface/case_text.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr double most_v3_clocks = 3600;                 // for 64 keys
constexpr int64_t fewest_keys = 1024, most_keys = 8192; // one workgroup on each of 24 and of 192 CUs
constexpr double tiles = (most_keys - fewest_keys) / 64.0;
constexpr int conversions = 32; // of a SIMD for 64 keys

// Clocks for 64 keys by that column; none without it.
std::optional<double> slope(const std::string& group, const std::string& column) {
  const std::vector<MeasuredLaunch> rows = read_ck_rows("V3", column);
  if (rows.empty()) return std::nullopt;
  const auto clocks = [&](int64_t keys) {
    return std::ranges::find_if(
               rows, [&](const MeasuredLaunch& row) { return row.series == group && row.length == keys; })
        ->clocks;
  };
  return (clocks(most_keys) - clocks(fewest_keys)) / tiles;
}

// What a word adds to `clocks`.
double added(const std::string& group, double clocks, std::string_view word) {
  if (const auto slower = slope(group, "gpu_clocks_" + std::string(word))) return *slower - clocks;
  const timing::Assumptions assumed = *timing::assumed(word), nothing;
  return conversions * (assumed.code_conversion_clocks - nothing.code_conversion_clocks) +
         (assumed.barrier_clocks - nothing.barrier_clocks);
}

// What the model says that V3 needs at least, of both quantisations the slower, if the words (joined by +) hold together: its
// rows of 1,024 and 8,192 keys in data/calibration, and what each word adds to them. `cvt8` and `cvt16` have no column: V3
// makes 32 conversions a SIMD for 64 keys and hides none of its VALU (of the 512 clocks that `exp16` adds it shows 536). Nor
// has `barrier40`: of V3's barriers one counts. All other words without a column count nothing, `packed_alone` among them:
// what V3's packed multiplications stand beside nobody wrote down.
double least_v3_clocks(std::string_view words) {
  double most = 0;
  for (const char* group : {"V3-tensor", "V3-block"}) {
    const double plain = *slope(group, "gpu_clocks");
    double clocks = plain;
    for (const std::string_view word : case_text::split(words, '+'))
      if (!word.empty()) clocks += added(group, plain, word);
    most = std::max(most, clocks);
  }
  return most;
}

bool is_ruled_out_by_v3(std::string_view words) { return least_v3_clocks(words) > most_v3_clocks; }

} // namespace

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
