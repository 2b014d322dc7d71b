// What a program's user sees of calls that fail.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>

namespace {

std::string stderr_of(const std::string& arguments, const std::string& environment = "") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "err";
  REQUIRE(std::system(
              ("env -u FMHA950_QUIET " + environment + " " HIP_FAILING_PROGRAM " " + arguments + " 2>" + file)
                  .c_str()) == 0);
  return folder.read("err");
}

const std::string objects = CODE_OBJECTS "/hip_kernels_";

} // namespace

TEST_CASE("failures: one line says which call failed, where, why, and what would be right") {
  CHECK(stderr_of("load " + objects + "gfx942.co") ==
        "fmha950: hipModuleLoad from main: hipErrorNoBinaryForGpu: code object is for gfx942, the device is "
        "gfx950: "
        "compile it with --offload-arch=gfx950\n");
  CHECK_THAT(stderr_of("load missing.co"),
             Catch::Contains("hipModuleLoad from main: hipErrorFileNotFound: fname = missing.co"));
  CHECK(stderr_of("load " + objects + "v6.co").empty());
}

TEST_CASE("failures: the same one is said once, and not at all to those who want quiet") {
  const std::string text = stderr_of("free");
  CHECK_THAT(text, Catch::StartsWith("fmha950: hipFree from main: hipErrorInvalidValue: pointer = "));
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(stderr_of("free", "FMHA950_QUIET=1").empty());
  CHECK_THAT(stderr_of("free", "FMHA950_QUIET=yes"),
             Catch::StartsWith("FMHA950_QUIET = yes: must be 0 or 1"));
}

TEST_CASE("failures: a fault names the nearest allocation, its size and who made it") {
  const std::string text = stderr_of("fault " + objects + "v6.co");
  INFO(text);
  CHECK_THAT(text, Catch::Contains("4 bytes past the end of allocation [0x") &&
                       Catch::Contains("of 128 bytes, made by hipMalloc from main, allocation 2"));
  CHECK_THAT(text,
             Catch::Contains("fmha950: hipMemset from main: hipErrorLaunchFailure: the device has faulted"));
  CHECK_THAT(stderr_of("fault " + objects + "v6.co", "FMHA950_QUIET=1"), !Catch::Contains("hipMemset"));
}

TEST_CASE("failures: a program may end while a kernel runs") {
  // Under `timed` the note of a launch that takes 10 s may come a moment before.
  const std::string text =
      stderr_of("leave " + objects + "v6.co", "FMHA950_SCHEDULE=eager FMHA950_BUDGET=1000000000000");
  CHECK_THAT(text, Catch::StartsWith("fmha950: note: the program ends with work under way"));
  CHECK(text.find('\n') == text.size() - 1);
}
