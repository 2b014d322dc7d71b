// Programs that plan: how they end, what they leave behind, and what their errors say.
#include "harness/cases/case_memory.hpp"
#include "harness/external/case_names.hpp"
#include "harness/external/child_program.hpp"
#include "harness/external/external_plan.hpp"
#include "harness/external/planner.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"
#include "workload/generate.hpp"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <thread>

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;

namespace {

using Clock = std::chrono::steady_clock;

struct PlannedCase : ManifestFolder {
  Problem problem = parse_case("batch_prefill/h=8:2/sq=20/sk=100/q=fp8/kv=fp8/quant=tensor/d=128/page=16");
  Tensors host = workload::make_tensors(problem);
  Manifest manifest_now;
  std::vector<RequestNames> requests = name_requests(problem, host);

  Planned run(int seconds = planner_seconds) {
    manifest_now = read();
    return run_planner(manifest_now, problem, host, scope_of(problem, requests), seconds);
  }
  std::string said(int seconds = planner_seconds) {
    try {
      run(seconds);
      return "planned";
    } catch (const InvalidInput& error) {
      return without_path(error.what());
    }
  }
  // With this in place of the planner's last lines.
  std::string said_with(const std::string& python, int seconds = planner_seconds) {
    const std::string sound = sound_planner;
    write("plan.py", sound.substr(0, sound.find("write(\"slots\"")) + python);
    return said(seconds);
  }
};

const std::string slots = "write('slots', (1, 4), [0, 0, 0, 8])\n";
const std::string scalars = "json.dump({'splits': 2}, open(folder + '/plan.json', 'w'))\n";
const std::string begin = "FOLDER/m.json: planner = python3 plan.py: ";

// And no zombie, which nobody may have asked for.
bool runs(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

ProgramEnd python(const std::string& program, int seconds) {
  return run_program({"python3", "-c", program}, ".", seconds);
}

} // namespace

TEST_CASE("planners: what a sound one makes") {
  PlannedCase planned;
  const Planned made = planned.run();
  CHECK(std::get<int64_t>(made.scalars.at("splits")) == 2);
  CHECK(made.tables.at("slots").shape == std::vector<int64_t>{1, 4});
  CHECK(planned.said_with(
            slots + "json.dump({'splits': True, 'more': 1}, open(folder + '/plan.json', 'w'))") == "planned");
}

TEST_CASE("planners: what they leave out or write wrong") {
  PlannedCase planned;
  CHECK(planned.said_with(scalars) == begin + "must write slots.npy into the folder that it is given");
  CHECK(planned.said_with(slots) == begin + "must write plan.json into the folder that it is given");
  CHECK(planned.said_with("print('no table today', file=sys.stderr)\n" + scalars) ==
        begin + "must write slots.npy into the folder that it is given; it said: no table today");
  CHECK(planned.said_with(slots + "json.dump({'split': 2}, open(folder + '/plan.json', 'w'))") ==
        "FOLDER/m.json: planner's plan.json: splits = (missing): must be there");
  CHECK(planned.said_with(slots + "json.dump({'splits': [2]}, open(folder + '/plan.json', 'w'))") ==
        "FOLDER/m.json: planner's plan.json: splits = [2]: must be a number, a text, true or false");
  CHECK(
      planned.said_with(slots + "json.dump({'splits': 2**63}, open(folder + '/plan.json', 'w'))") ==
      "FOLDER/m.json: planner's plan.json: splits = 9223372036854775808: must fit into 64 bits with a sign");
  CHECK(planned.said_with(slots + "json.dump([2], open(folder + '/plan.json', 'w'))") ==
        "FOLDER/m.json: planner's plan.json: = [2]: must be an object");
  CHECK_THAT(planned.said_with(slots + "open(folder + '/plan.json', 'w').write('{splits: 2}')"),
             Catch::StartsWith(begin + "must write plan.json as it should be: is not JSON: "));
  CHECK_THAT(planned.said_with(slots + "import os; os.mkfifo(folder + '/plan.json')"),
             Catch::StartsWith(begin + "must write plan.json as it should be: must be a regular file"));
  CHECK_THAT(planned.said_with("open(folder + '/slots.npy', 'w').write('nonsense')\n" + scalars),
             Catch::StartsWith(begin + "must write slots.npy as it should be: "));
  CHECK_THAT(planned.said_with("write('slots', (3, 4), [0, 0, 0, 8])\n" + scalars),
             Catch::Contains("must write slots.npy as it should be: 16 bytes of data, must be 48"));
  CHECK_THAT(planned.said_with("import os; os.mkfifo(folder + '/slots.npy')\n" + scalars),
             Catch::Contains("must write slots.npy as it should be: "));
}

TEST_CASE("planners: how they end") {
  PlannedCase planned;
  CHECK(planned.said_with("sys.exit('two splits do not fit')") ==
        begin + "must end with exit code 0, not 1; it said: two splits do not fit");
  CHECK_THAT(planned.said_with("raise ValueError('of my own')"),
             Catch::EndsWith("must end with exit code 0, not 1; it said: "
                             "Traceback (most recent call last):") ||
                 Catch::EndsWith("| ValueError: of my own"));
  CHECK(planned.said_with("import os; os.kill(os.getpid(), 11)") ==
        begin + "must end with exit code 0, not 139");
  CHECK(planned.said_with("print('is at it', file=sys.stderr, flush=True)\nwhile True: pass", 1) ==
        begin + "must end within 1 seconds; it said: is at it");
  planned.set("/planner", {"no_such_program", "plan.py"});
  CHECK(planned.said() ==
        "FOLDER/m.json: planner = no_such_program plan.py: must be a program that can be started; it "
        "said: no_such_program: No such file or directory");
  planned.set("/planner", {"./plan.py"}); // is not executable
  CHECK(planned.said() ==
        "FOLDER/m.json: planner = ./plan.py: must be a program that can be started; it said: "
        "FOLDER/plan.py: Permission denied");
}

TEST_CASE("planners: no shell, and no words of its own") {
  PlannedCase planned;
  planned.set("/planner", {"python3", "plan.py; touch harm", "$(touch harm)"});
  CHECK_THAT(planned.said(), Catch::Contains("must end with exit code 0, not 2; it said: "));
  CHECK_FALSE(std::filesystem::exists(planned.path() / "harm"));
}

TEST_CASE("planners: a table of rows of the wrong form") {
  hip::api().SetOption("modules", "load");
  PlannedCase planned;
  planned.set("/launches/2/rows", {{"planned", "slots"}});
  const auto said = [&](const std::string& table) {
    const std::string sound = sound_planner;
    planned.write("plan.py", sound.substr(0, sound.find("write(\"slots\"")) + table + "\n" + scalars);
    planned.manifest_now = planned.read();
    for (const auto& [name, object] : planned.manifest_now.objects)
      hip::register_code_object(planned.manifest_now.name + "/" + name, object->code());
    try {
      DeviceTensors device;
      device.k_pool = device.output = &planned;
      const ExternalPlan plan(planned.manifest_now, planned.problem, planned.host, device);
      return std::string("planned");
    } catch (const InvalidInput& error) {
      return planned.without_path(error.what());
    }
  };
  const std::string place = "FOLDER/m.json: launches[2].rows.planned";
  const std::string form = ": must be integers [n, 4]: workgroup, request, first query, count";
  CHECK(said("write('slots', (1, 4), [0, 0, 0, 8])") == "planned");
  CHECK(said("write('slots', (4,), [0, 0, 0, 8])") == place + " = slots, int32[4]" + form);
  CHECK(said("write('slots', (1, 3), [0, 0, 0])") == place + " = slots, int32[1,3]" + form);
  CHECK(said("write('slots', (1, 4), [0, 0, 0, 8], '<f4', 'f')") == place + " = slots, float32[1,4]" + form);
  CHECK(said("write('slots', (1, 4), [2**63, 0, 0, 8], '<u8', 'Q')") ==
        place + " = slots, entry 0: 9.223372036854776e+18: is too large");
  CHECK(said("write('slots', (2, 4), [0, 0, 0, 8, 1, 0, 0, 8])") ==
        "FOLDER/m.json: launches[2].rows, entry 1 = workgroup 1: must be from 0 to 0, in the launch's grid");
  CHECK(said("write('slots', (1, 4), [0, 1, 0, 8])") ==
        "FOLDER/m.json: launches[2].rows, entry 0 = request 1: must be from 0 to 0");
  CHECK(said("write('slots', (0, 4), [])") == "planned"); // the launch is not made
  hip::api().SetOption("modules", "");
}

TEST_CASE("child programs: their last words are one short line") {
  CHECK(python("import sys; sys.stderr.write('a\\n\\n  b\\nc\\n\\td\\n')", 20).last_words == "b | c | d");
  const ProgramEnd much = python("import sys\nfor i in range(100000): print('line', i, file=sys.stderr)", 20);
  CHECK(much.in_time);
  CHECK(much.last_words == "line 99997 | line 99998 | line 99999");
  CHECK(python("import sys; sys.stderr.write('x' * 100000)", 20).last_words.size() == 2000);
  CHECK(python("import sys; sys.stderr.write('\\x1b[2Jred\\r')", 20).last_words == " [2Jred ");
  CHECK(python("print('stdout is nobody\\'s')", 20).last_words.empty());
  CHECK(python("import sys; sys.exit(len(sys.stdin.read()))", 20).exit_code == 0); // nothing to read
}

TEST_CASE("child programs: one that ends is not waited for because of its children") {
  const TemporaryFolder folder;
  const auto started = Clock::now();
  // The child holds stderr open and would sleep for a minute.
  const ProgramEnd end = python(fmt::format("import subprocess\n"
                                            "child = subprocess.Popen(['sleep', '60'])\n"
                                            "open('{}/pid', 'w').write(str(child.pid))",
                                            folder.path().string()),
                                50);
  CHECK(end.in_time);
  CHECK(end.exit_code == 0);
  CHECK(Clock::now() - started < std::chrono::seconds(20));
  const std::string child = folder.read("pid");
  for (int i = 0; i < 500 && runs(child); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(runs(child)); // killed with it
}

TEST_CASE("child programs: one that closes stderr, ignores signals or does both is ended all the same") {
  for (const char* program :
       {"import os, time; os.close(2); time.sleep(60)",
        "import signal, time\nfor s in (2, 15): signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)"}) {
    INFO(program);
    const auto started = Clock::now();
    const ProgramEnd end = python(program, 1);
    CHECK_FALSE(end.in_time);
    CHECK(end.started);
    CHECK(end.exit_code == 128 + SIGKILL);
    CHECK(Clock::now() - started < std::chrono::seconds(20));
  }
}

TEST_CASE("child programs: what is open here is closed there") {
  const TemporaryFolder folder;
  const std::string file = folder.write("open", "");
  FILE* const open = fopen(file.c_str(), "r"); // without O_CLOEXEC, as the pipe to a case process
  REQUIRE(open != nullptr);
  const ProgramEnd end = python("import os, sys\nfor name in os.listdir('/proc/self/fd'):\n"
                                "  try: print(os.readlink('/proc/self/fd/' + name), file=sys.stderr)\n"
                                "  except OSError: pass",
                                20);
  fclose(open);
  CHECK_THAT(end.last_words, !Catch::Contains(file));
}

TEST_CASE("planners: one that was too slow is not waited for again with the same case") {
  PlannedCase planned;
  const std::string slow = "import time; time.sleep(60)";
  CHECK(planned.said_with(slow, 1) == begin + "must end within 1 seconds");
  CHECK(planned.said_with(slow, 1) ==
        begin + "must end within 1 seconds, and did not: it is not started again for this case");
  planned.problem = parse_case("batch_prefill/h=8:2/sq=21/sk=100/q=fp8/kv=fp8/quant=tensor/d=128/page=16");
  planned.host = workload::make_tensors(planned.problem);
  planned.requests = name_requests(planned.problem, planned.host);
  CHECK(planned.said_with(slow, 1) == begin + "must end within 1 seconds"); // another case
  CHECK(planned.said_with(slots + scalars) == "planned");                   // another planner
}

TEST_CASE("planners: tables count before they are read") {
  PlannedCase planned;
  harness::MemoryLimit{1e-3}.require({});
  std::string said;
  try {
    said = planned.said_with("write('slots', (1 << 19, 1), [0] * (1 << 19))\n" + scalars);
  } catch (const harness::NotEnoughMemory& error) {
    said = planned.without_path(error.what());
  }
  harness::MemoryLimit{}.require({});
  CHECK_THAT(said,
             Catch::StartsWith("memory: FOLDER/m.json: planned table slots: with it the plan takes 0.0 GiB"));
}
