// --resume as a script sees it.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

#include <csignal>
#include <sys/resource.h>

namespace {

const std::string small = "batch_prefill/h=2:1/sq=8/sk=32", other = small + "/seed=2";

} // namespace

TEST_CASE("a resumed run counts what is kept, and its CSV and JSON have all of it") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "f",
                    run = "run " + small + " --impl prepass,fused --output " + file;
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 1 skipped");
  const Ran again = run_fmha950(run);
  CHECK(again.exit_code == 3);
  CHECK(again.out.empty());
  CHECK(again.err.back() == "fmha950: output = " + file +
                                ": is not empty: add --resume to keep what it holds and run what is "
                                "missing, or --overwrite to begin anew");
  const std::string more = run + " " + other + " --resume";
  const Ran csv = run_fmha950(more + " --csv");
  CHECK(csv.exit_code == 0);
  CHECK(csv.err.back() == "2 passed, 0 failed, 2 skipped (2 kept)");
  CHECK_THAT(csv.err[csv.err.size() - 2], Catch::StartsWith("skipped 2: ")); // one of them kept
  REQUIRE(csv.out.size() == 5);
  const Ran json = run_fmha950(more + " --json");
  CHECK(json.err.back() == "2 passed, 0 failed, 2 skipped (4 kept)");
  CHECK(json.out.size() == 4);
  const Ran table = run_fmha950(more);
  CHECK(table.out.back() == "2 passed, 0 failed, 2 skipped (4 kept)");
  const Ran others = run_fmha950("run " + other + " --impl prepass --resume --output " + file);
  CHECK(others.out.back() == "1 passed, 0 failed, 0 skipped (1 kept)");
  CHECK(others.err.back() == "records of other cases or options, which stay in the file and do not count: 3");
  CHECK(run_fmha950(run + " --overwrite").out.back() == "1 passed, 0 failed, 1 skipped");
}

TEST_CASE("a disk that is full ends a run with whole records and how to go on") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "f";
  const std::string run = "run " + small + " " + other + " --impl prepass --output " + file.string();
  REQUIRE(run_fmha950("run " + small + " --impl prepass --output " + file.string()).exit_code == 0);
  struct rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN); // the program inherits both
  const struct rlimit full{std::filesystem::file_size(file) + 5, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &full) == 0);
  const Ran ran = run_fmha950(run + " --resume");
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(ran.exit_code == 6);
  REQUIRE_FALSE(ran.err.empty());
  CHECK_THAT(ran.err.back(), Catch::Contains("results could not be written in full: ") &&
                                 Catch::EndsWith("; the same command with --resume goes on"));
  CHECK(std::filesystem::file_size(file) == full.rlim_cur - 5);
  CHECK(run_fmha950(run + " --resume").out.back() == "2 passed, 0 failed, 0 skipped (1 kept)");
}

TEST_CASE("what --resume cannot do is said") {
  const TemporaryFolder folder;
  const std::string to = " --output " + (folder.path() / "f").string() + " --resume ";
  const auto refuses = [](const std::string& arguments, const std::string& error) {
    CAPTURE(arguments);
    const Ran ran = run_fmha950(arguments);
    CHECK(ran.exit_code == 3);
    CHECK(ran.out.empty());
    REQUIRE_FALSE(ran.err.empty());
    CHECK_THAT(ran.err.back(), Catch::StartsWith("fmha950: " + error));
  };
  refuses("run " + small + " --resume", "output = : must be a file where --resume is given");
  refuses("run " + small + " --overwrite", "output = : must be a file where --overwrite is given");
  refuses("run " + small + to + "--save " + (folder.path() / "c").string(), "--save = ");
  for (const std::string command : {"compare ", "perf "})
    refuses(command + small + to,
            "resume = " + (folder.path() / "f").string() + ": is not for this command's");
  refuses("probe --table --filter page_permutation" + to, "--table = with --resume: ");
  refuses("probe --sabotage --output x", "output = x: is for records");
  refuses("probe --sabotage --json", "json = (given): is for records");
  refuses("probe --mutants --csv", "csv = (given): is for records");
  CHECK(run_fmha950("run " + small + to + "--overwrite").exit_code >= 100); // CLI11's
  CHECK(std::filesystem::is_empty(folder.path()));
}
