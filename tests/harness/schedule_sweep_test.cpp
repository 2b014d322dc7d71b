#include "harness/probe/schedule_sweep.hpp"
#include "harness/probe/workers.hpp"
#include "interface/error.hpp"

#include "tests/support/catch.hpp"
#include <set>
#include <stdexcept>
#include <unistd.h>

using namespace fmha950;
using namespace fmha950::harness;

TEST_CASE("a number of schedules: eager first, all different, the seed moves the random ones") {
  const auto list = schedule_list("50", 7);
  REQUIRE(list.size() == 50);
  CHECK(list[0] == "eager");
  CHECK(list[1] == "lazy");
  CHECK(std::set<std::string>(list.begin(), list.end()).size() == 50);
  CHECK(schedule_list("50", 7) == list);
  CHECK(schedule_list("50", 8) != list);
  CHECK(schedule_list("", 1).empty());
}

TEST_CASE("a list of schedules is taken as it stands, '+' for a schedule's own comma") {
  CHECK(schedule_list("eager,lazy+starve:3", 1) == std::vector<std::string>{"eager", "lazy,starve:3"});
  for (const char* wrong : {"0", "1", "eager", "99999999999999999999", "2000000"})
    CHECK_THROWS_AS(schedule_list(wrong, 1), InvalidInput);
}

TEST_CASE("workers share what is done and the lowest failure, and nothing else") {
  int mine = 0;
  size_t seen = 0;
  const auto answers = run_workers(
      3, 100,
      [&](size_t worker, SharedState& state) {
        mine = static_cast<int>(worker) + 1;
        state.failed_at(50 + worker);
        state.failed_at(90);
        while (state.first_failure() != 50) {
        } // the lowest of all
        state.did_one();
        while (state.done() != 3) {
        }
        if (worker == 0) sleep(2); // the watch is called once a second
        return std::string(100'000, static_cast<char>('a' + worker));
      },
      [&](size_t done) { seen = done; });
  CHECK(seen == 3);
  CHECK(mine == 0);
  REQUIRE(answers.size() == 3);
  for (size_t i = 0; i < 3; ++i) CHECK(answers[i] == std::string(100'000, static_cast<char>('a' + i)));
}

TEST_CASE("a worker that does not come to its end is an error") {
  CHECK_THROWS_WITH(run_workers(2, 1,
                                [](size_t worker, SharedState&) -> std::string {
                                  if (worker == 1) std::_Exit(3);
                                  return "";
                                }),
                    "a worker ended with code 3");
}
