// What is wrong with a command line or an environment variable is said once, before anything runs, with exit
// code 3.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

namespace {

const std::string small = "batch_prefill/h=1:1/sq=4/sk=20";

void refuses(const std::string& arguments, const std::string& error, const std::string& environment = "") {
  CAPTURE(arguments, environment);
  const Ran ran = run_fmha950(arguments, environment);
  CHECK(ran.exit_code == 3);
  CHECK(ran.out.empty()); // no case was begun
  REQUIRE_FALSE(ran.err.empty());
  CHECK_THAT(ran.err.back(), Catch::StartsWith("fmha950: " + error));
}

} // namespace

TEST_CASE("a misspelt command is named, with those there are and the nearest") {
  const std::string which =
      ": must be one of list, run, accuracy, compare, perf, probe, trace, device, bench, "
      "demo, silicon-check, external, cure, reference, or of ./fmha950's own build, fuzz, hipcc, "
      "new-variant, "
      "python, "
      "report, "
      "results, sweep, test";
  refuses("acuracy " + small, "command = acuracy" + which + "; did you mean accuracy?");
  refuses("tset", "command = tset" + which + "; did you mean test?");
  const Ran far = run_fmha950("serve");
  CHECK(far.err.back() == "fmha950: command = serve" + which);
  refuses("report", "command = report: must be given to the launcher: ./fmha950 report");
  refuses("''", "command = " + which);
}

TEST_CASE("what --impl names must be implementations, each once, for every command that takes it") {
  for (const std::string command :
       {"accuracy ", "run ", "perf ", "compare ", "trace ", "list ", "list --why "}) {
    refuses(command + small + " --impl ''", "implementation = : must be one of ");
    refuses(command + small + " --impl prepass,", "implementation = : must be one of ");
    refuses(command + small + " --impl nonesuch", "implementation = nonesuch: must be one of ");
    refuses(command + small + " --impl prepass,baseline,prepass",
            "implementation = prepass,baseline,prepass: must name prepass once");
  }
  refuses("compare prepass prepass " + small, "implementation = prepass,prepass: must name prepass once");
  refuses("list --impl nonesuch", "implementation = nonesuch: must be one of ");
  for (const std::string probes : {"probe ", "probe --list-probes ", "probe --mfma ", "probe --sabotage "})
    refuses(probes + "--impl ''", "implementation = : must be one of ");
  refuses("bench --case " + small + " --impl ''", "implementation = : must be one of ");
  refuses("bench --case " + small + " --impl all",
          "implementation = all: must be one implementation, or auto");
}

TEST_CASE("an environment variable that is wrong is named first, and is bad input") {
  const auto refused = [](const std::string& setting, const std::string& expected) {
    const size_t equals = setting.find('=');
    refuses("accuracy " + small,
            setting.substr(0, equals) + " = " + setting.substr(equals + 1) + ": " + expected, setting);
  };
  refused("FMHA950_SCHEDULE=sometimes", "memory schedule = 'sometimes': must be timed, eager");
  refused("FMHA950_SCHEDULE=", "memory schedule = '': must be timed, eager");
  refused("FMHA950_THREADS=0", "must be a whole number from 1 to 1024");
  refused("FMHA950_MFMA=x", "must be fma or fdpa");
  refused("FMHA950_SIMD=sse9", "simd = sse9: must be avx512_vbmi");
  refused("FMHA950_CHECK=x", "must be all, none or");
  refused("FMHA950_DATA=/nowhere", "must be a folder that holds traces/, cases/ and activations/");
  refused("FMHA950_HIP_LIBRARY=/nowhere", "must be a HIP runtime's library: /nowhere: cannot open");
  refused("FMHA950_HIP_LIBRARY=libm.so.6", "must be a HIP runtime's library: has no function");
  refused("FMHA950_DEVICE_DIR=/nowhere", "must be a folder that holds the embedded device's libamdhip64.so");
  refuses("device path", "FMHA950_DEVICE_DIR = /nowhere: must be a folder that holds",
          "FMHA950_DEVICE_DIR=/nowhere");
}

TEST_CASE("a schedule, thread count or form of arithmetic that is none is refused before the first case") {
  const std::string two = small + " " + small + "/seed=2 ";
  for (const std::string command : {"accuracy ", "perf ", "compare "}) {
    refuses(command + two + "--schedules eager,sometimes", "schedule = sometimes: memory schedule = ");
    refuses(command + two + "--schedules ''", "schedules = : must have no empty item");
    refuses(command + two + "--threads 1,0", "threads = 0: must be a whole number from 1 to 1024");
    refuses(command + two + "--mfma fma,x", "mfma = x: must be fma or fdpa");
  }
  refuses("probe --filter lengths --mfma fma,x", "mfma = x: must be fma or fdpa");
  refuses("probe --filter lengths --schedules eager,sometimes", "schedule = sometimes: memory schedule = ");
}

TEST_CASE("a problem that no operator has is invalid, not unsupported") {
  const Ran ran = run_fmha950("accuracy " + small + "/d=192 --impl prepass");
  CHECK(ran.exit_code == 3);
  REQUIRE(ran.out.size() == 7); // heading, case, line, reason; the failure and its command; the closing line
  CHECK_THAT(ran.out[2], Catch::Contains("invalid_input"));
  CHECK_THAT(ran.out[3], Catch::Contains("d = 192: must be 64, 128, 256 or 192:128"));
  CHECK_THAT(ran.out[4], Catch::StartsWith("failed: prepass invalid_input: d = 192: must be"));
  CHECK_THAT(ran.out[5], Catch::Contains("./fmha950 accuracy '" + small + "/d=192' --impl prepass"));
  CHECK(ran.out[6] == "0 passed, 1 failed, 0 skipped");
  CHECK(run_fmha950("list --why " + small + "/d=192").err.back() ==
        "fmha950: d = 192: must be 64, 128, 256 or 192:128");
}

TEST_CASE("a case folder with NaN among what is read is bad input, not an inaccurate kernel") {
  const TemporaryFolder folder;
  const std::string saved = folder.path() / "c";
  REQUIRE(run_fmha950("run batch_prefill/h=2:1/sq=4/sk=20 --impl prepass --save " + saved).exit_code == 0);
  std::fstream file(saved + "/v_pool.npy", std::ios::in | std::ios::out | std::ios::binary);
  std::ifstream tables(saved + "/kv_page_indices.npy", std::ios::binary);
  int32_t page = 0;
  tables.seekg(128).read(reinterpret_cast<char*>(&page), 4);
  file.seekp(128 + int64_t{page} * 16 * 128 * 2 + 5 * 2).write("\xC0\x7F", 2);
  file.close();
  for (const std::string command : {"accuracy", "run", "perf"}) {
    const Ran ran = run_fmha950(command + " --load " + saved + " --impl prepass --json");
    CHECK(ran.exit_code == 3);
    REQUIRE(ran.out.size() == 1);
    CHECK_THAT(ran.out[0], Catch::Contains("\"outcome\":\"invalid_input\"") &&
                               Catch::Contains("v_pool of request 0, token 0 (page ") &&
                               Catch::Contains("KV head 0, column 5 = nan: must be finite"));
  }
}
