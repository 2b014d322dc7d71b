// A report file of which each process has its own.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <fmt/format.h>

TEST_CASE("report: %p in the file's name is the process") {
  const TemporaryFolder folder;
  const std::string program = fmt::format(
      "cd {} && FMHA950_CHECK=all FMHA950_REPORT=%p-%p.jsonl sh -c 'echo $$ >>pids && exec " HIP_HOST_PROGRAM
      " 1 2'",
      folder.path().string());
  for (int run = 0; run < 2; ++run) REQUIRE(std::system(program.c_str()) == 0);
  std::istringstream pids(folder.read("pids"));
  int processes = 0;
  for (std::string pid; pids >> pid; ++processes)
    CHECK_THAT(folder.read(pid + "-" + pid + ".jsonl"), Catch::Contains("memory_order"));
  CHECK(processes == 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 3); // and pids
}

TEST_CASE("report: a name without %p stays as it is") {
  const TemporaryFolder folder;
  REQUIRE(
      std::system(fmt::format("cd {} && FMHA950_CHECK=all FMHA950_REPORT=p%.jsonl " HIP_HOST_PROGRAM " 1 2",
                              folder.path().string())
                      .c_str()) == 0);
  CHECK_THAT(folder.read("p%.jsonl"), Catch::Contains("memory_order"));
}
