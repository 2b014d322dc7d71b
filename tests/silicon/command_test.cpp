// The commands: silicon-check as a rehearsal, and device --calibration --measured, which fits to what it has written.
#include "harness/silicon/energy.hpp"
#include "interface/error.hpp"
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

#include <sys/resource.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// As a GPU would have written it whose clock follows `law`.
void let_the_clock_follow(const ClockLaw& law, const std::filesystem::path& file) {
  SiliconCheck check = read_silicon_check(file);
  check.environment.embedded = false;
  check.environment.device = "a GPU";
  for (MeasuredEnergy& energy : check.energy) {
    BusyShares shares = energy.launch.shares;
    shares.mall += shares.hbm;
    energy.launch.seconds = 1e-9 * energy.launch.clocks * law.nanoseconds(shares);
  }
  write_silicon_check(check, file);
}

// Of the processor, as others may use the machine, too.
double seconds_of_programs() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

// The second word of a line, a number, where its first ones are `name`.
double figure_of(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines)
    if (line.starts_with(name + " ")) return std::stod(line.substr(name.size()));
  return -1;
}

} // namespace

TEST_CASE("silicon-check: what is wrong is said before anything runs") {
  const TemporaryFolder folder;
  const std::string file = folder.write("there", "kept");
  const Ran exists = run_fmha950("silicon-check --output " + file);
  CHECK(exists.exit_code != 0);
  CHECK_THAT(joined(exists.err), Catch::Contains("exists: add --overwrite to replace it"));
  CHECK(run_fmha950("silicon-check").exit_code != 0);
  CHECK(run_fmha950("silicon-check --output " + file + " --overwrite --assume luck").exit_code != 0);
  CHECK(folder.read("there") == "kept");
  CHECK(run_fmha950("device --measured " + file).exit_code != 0);
  const Ran foreign = run_fmha950("device --calibration --measured " + file);
  CHECK(foreign.exit_code != 0);
  CHECK_THAT(joined(foreign.err), Catch::Contains("must be a file of `fmha950 silicon-check`"));
}

TEST_CASE("silicon-check: a rehearsal writes a file to which the law is fitted", "[slow]") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "check.json";
  const double before = seconds_of_programs();
  const Ran ran = run_fmha950("silicon-check --assume lds128,mfma_slot --output " + file);
  CHECK(seconds_of_programs() - before < 120);
  INFO(joined(ran.out) << joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(joined(ran.out), Catch::Contains("REHEARSAL"));
  CHECK_THAT(joined(ran.out), Catch::Contains("run the program with --assume lds128,mfma_slot\n"));
  CHECK_THAT(joined(ran.out), Catch::Contains("36 of 36 instructions give the bits of the embedded device"));
  CHECK_THAT(joined(ran.out), Catch::Contains("28 of 28 probes of instructions passed"));
  CHECK_THAT(joined(ran.out), Catch::Contains("The embedded device's clock is always 2,400 MHz"));

  const ClockLaw planted{.idle = 0.25,
                         .matrix_bf16 = 0.4,
                         .matrix_fp8 = 0.3,
                         .matrix_f8f6f4 = 0.45,
                         .valu = 0.12,
                         .lds = 0.06,
                         .mall = 1e-5};
  let_the_clock_follow(planted, file);
  const Ran fitted = run_fmha950("device --calibration --measured " + file);
  INFO(joined(fitted.out) << joined(fitted.err));
  REQUIRE(fitted.exit_code == 0);
  CHECK_THAT(joined(fitted.out), Catch::Contains("run the program with --assume lds128,mfma_slot\n"));
  for (const ClockTerm& term :
       {idle_term, bf16_term, fp8_term, f8f6f4_term, valu_term, lds_term, mall_term}) {
    CAPTURE(term.name);
    CHECK(figure_of(fitted.out, term.name) == Approx(planted.*term.constant).epsilon(0.01));
  }
}
