// Launches of a program that are made again: what they write goes nowhere, and the program goes on with its own.
#include "harness/cure/program.hpp"
#include "harness/cure/program_cures.hpp"
#include "harness/cure/replay_patient.hpp"

#include "interface/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include <fmt/format.h>
#include <fstream>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

std::vector<std::string> words_of(const char* object, const std::vector<std::string>& kernels,
                                  const std::string& last = "") {
  std::vector<std::string> words = {"/usr/bin/python3", std::string(TESTS) + "/cure/racy_program.py"};
  for (const std::string& kernel : kernels) {
    words.push_back(fmt::format("{}/{}.co", CODE_OBJECTS, object));
    words.push_back(kernel);
  }
  if (!last.empty()) words.push_back(last);
  return words;
}

constexpr int seconds = 60;
using Options = std::vector<std::string>;

size_t lines_in(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::string line;
  size_t count = 0;
  while (std::getline(lines, line)) ++count;
  return count;
}

} // namespace

// Python, built without sanitizers, cannot load a device that needs them.
TEST_CASE("replay: a launch is made again and again, and the program has its own result", "[unsanitized]") {
  const Program program(words_of("cure_kernels", {"late_wait"}), seconds);
  const std::vector<std::string> lazy = {"FMHA950_SCHEDULE=lazy", "FMHA950_CHECK=all"};
  const ProgramRun plain = program.run(lazy);
  KeptLaunches kept;
  auto environment = lazy;
  environment.push_back(kept.option());
  const ProgramRun run = program.run(environment);
  CHECK(run.seen.outputs == plain.seen.outputs);
  CHECK(run.end.exit_code == 0);
  kept.take();
  const auto launches = kept.of("late_wait");
  REQUIRE(launches.size() == 1);
  const KeptLaunch& launch = *launches.front();
  CHECK(launch.why_not() == "");
  CHECK(launch.number() == 0);

  // The sum is made before the load is there: other bits where memory is late. Each time from the same memory.
  const auto late = launch.replay({"schedule=lazy"}, seconds),
             right = launch.replay({"schedule=eager"}, seconds);
  CHECK(late.failure == "");
  CHECK(right.failure == "");
  CHECK(late.digest.size() == 16);
  CHECK(late.digest != right.digest);
  CHECK(launch.replay({"schedule=lazy"}, seconds).digest == late.digest);
  CHECK(launch.replay({"schedule=eager"}, seconds).digest == right.digest);
  CHECK(kept.of("another").empty());
}

TEST_CASE("replay: findings are those of the launch, and options that are none are told", "[unsanitized]") {
  KeptLaunches kept;
  const Program program(words_of("cure_kernels", {"late_wait"}), seconds);
  program.run({"FMHA950_SCHEDULE=eager", "FMHA950_CHECK=all", kept.option()});
  kept.take();
  REQUIRE(kept.of("late_wait").size() == 1);
  const TemporaryFolder folder("test");
  const auto report = folder.path() / "report.jsonl";
  const KeptLaunch& launch = *kept.of("late_wait").front();
  CHECK(launch.replay({"check=all", "report=" + report.string()}, seconds).failure == "");
  const auto found = reports_in(report);
  REQUIRE(found.size() == 1);
  CHECK(found.front().hazard == "register_in_flight");
  CHECK(launch.replay({"schedule=nonsense"}, seconds).failure.find("schedule = nonsense") !=
        std::string::npos);
  CHECK(launch.replay({"mutant=late_wait+0x0:barrier-drop"}, seconds).failure.find("mutant = ") !=
        std::string::npos);
  CHECK(launch.replay({"schedule=eager"}, seconds).failure == ""); // none of this is left behind
}

TEST_CASE("replay: some launches of each kernel are kept, in the order of the calls", "[unsanitized]") {
  KeptLaunches kept;
  const Program program(words_of("cure_kernels", {"late_wait", "two_faults", "late_wait", "late_wait",
                                                  "late_wait", "late_wait"}),
                        seconds);
  program.run({"FMHA950_SCHEDULE=eager", "FMHA950_CHECK=all", kept.option()});
  kept.take();
  const auto launches = kept.of("late_wait");
  REQUIRE(launches.size() == 3);
  CHECK(launches[0]->number() == 0);
  CHECK(launches[1]->number() == 2);
  CHECK(launches[2]->number() == 3);
  REQUIRE(kept.of("two_faults").size() == 1);
  // Each has the memory of its time.
  CHECK(launches[0]->replay({}, seconds).digest != launches[1]->replay({}, seconds).digest);
}

TEST_CASE("replay: one that does not end is ended, and can be asked again", "[unsanitized]") {
  KeptLaunches kept;
  const Program program(words_of("cure_program_kernels", {"endless"}), seconds);
  program.run({"FMHA950_SCHEDULE=eager", "FMHA950_CHECK=all", "FMHA950_BUDGET=1000", kept.option()});
  kept.take();
  REQUIRE(kept.of("endless").size() == 1);
  const KeptLaunch& launch = *kept.of("endless").front();
  CHECK(launch.replay({"check=none", "budget=1000000000000"}, 1).failure == "did not end within 1 s");
  CHECK(launch.replay({"budget=1000"}, seconds).failure.find("runaway") != std::string::npos);
}

TEST_CASE("cure: a program is run a few times, and its launches as often as it takes", "[unsanitized]") {
  const TemporaryFolder folder("test");
  const auto runs = folder.path() / "runs";
  const auto words = words_of("cure_kernels", {"late_wait", "late_wait"}, "runs=" + runs.string());
  const auto replayed = cure_program(words, {{"eager", "lazy"}, {}});
  CHECK(lines_in(runs) == 3);
  REQUIRE(replayed.size() == 1);
  const Cure& cure = replayed.front().cure;
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  CHECK(cure.proof.judged.find("bits equal under all schedules, not judged: 2 launches") !=
        std::string::npos);
  CHECK(replayed.front().held_on == std::vector<std::string>{"launch 1 of the program"});
  CHECK(cure.executions > 4);
  CHECK(cure.clocks > 0);
  CHECK(cure.clocks_cured > 0);

  ProgramCureOptions options{{"eager", "lazy"}, {}};
  options.rerun = true;
  const auto anew = cure_program(words, options);
  CHECK(lines_in(runs) > 3 + 3 + 4);
  REQUIRE(anew.size() == 1);
  CHECK(anew.front().option == replayed.front().option);
  CHECK(anew.front().cure.proof.judged.find("what the program writes") != std::string::npos);
}

TEST_CASE("cure: what cannot be made again is told by name, and the program is run anew", "[unsanitized]") {
  std::vector<std::string> told;
  ProgramCureOptions options{{"eager", "lazy"}, {}};
  options.told = [&](const std::string& why) { told.push_back(why); };
  const auto printing = cure_program(words_of("cure_program_kernels", {"may_print"}), options);
  REQUIRE(told.size() == 1);
  CHECK(told.front().starts_with("may_print: the program is run anew for each try: it may print"));
  REQUIRE(printing.size() == 1);
  CHECK(printing.front().cure.verdict == Cure::Verdict::cured);
  told.clear();
  options.seconds_to_look = 2;
  const auto waiting = cure_program(words_of("cure_program_kernels", {"waits_for_host"}, "host"), options);
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("anew for each try: launch 0: did not end within 2 s") != std::string::npos);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting.front().cure.verdict == Cure::Verdict::cured);
  told.clear();
  // The fault is in the fifth launch alone.
  const auto late =
      cure_program(words_of("cure_program_kernels",
                            {"late_if_odd", "late_if_odd", "late_if_odd", "late_if_odd", "late_if_odd@127"}),
                   options);
  REQUIRE(told.size() == 1);
  CHECK(told.front().find("what the checks find is not in its first 3 launches") != std::string::npos);
  REQUIRE(late.size() == 1);
  CHECK(late.front().cure.verdict == Cure::Verdict::cured);
}
