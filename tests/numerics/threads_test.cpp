#include "numerics/threads.hpp"

#include "tests/support/catch.hpp"

#include <stdexcept>
#include <vector>

using namespace fmha950::numerics;

TEST_CASE("parallel_for visits every index once and hands the results to the caller") {
  for (int64_t count : {0, 1, 2, 7, 1000, 4099}) {
    std::vector<int> visits(count);
    parallel_for(count, [&](int64_t i) { ++visits[i]; });
    CHECK(visits == std::vector<int>(count, 1));
  }
}

TEST_CASE("an exception of any thread reaches the caller after all threads have ended") {
  std::atomic<int> calls = 0;
  CHECK_THROWS_WITH(parallel_for(1000,
                                 [&](int64_t i) {
                                   ++calls;
                                   if (i == 500) throw std::runtime_error("at 500");
                                 }),
                    "at 500");
  CHECK(calls >= 1);
  CHECK_THROWS_AS(run_on_threads(4, [] { throw std::logic_error("each"); }), std::logic_error);
}
