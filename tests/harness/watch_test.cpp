// `device watch`: a foreign program runs on the embedded device under its checks; reports, closing line, exit code.
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

namespace {

bool any_line_has(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines,
                             [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

} // namespace

TEST_CASE("device watch: a program with a race ends with hazard's exit code") {
  const Ran ran = run_fmha950("device watch " HIP_HOST_PROGRAM " 1 2");
  CHECK(ran.exit_code == 2);
  REQUIRE_FALSE(ran.out.empty());
  CHECK(ran.out.back() == "1 errors, 0 warnings, 0 notes");
  CHECK(any_line_has(ran.out, "error memory_order: global_store_dword writes device bytes"));
  CHECK(any_line_has(ran.out, "store_once"));
}

TEST_CASE("device watch: equal stores are a note, which errors leaves out") {
  const Ran all = run_fmha950("device watch " HIP_HOST_PROGRAM " 1 1");
  CHECK(all.exit_code == 0);
  CHECK(any_line_has(all.out, "note memory_order"));
  CHECK(all.out.back() == "0 errors, 0 warnings, 1 notes");
  const Ran errors = run_fmha950("device watch " HIP_HOST_PROGRAM " 1 1", "FMHA950_CHECK=errors");
  CHECK(errors.out == std::vector<std::string>{"0 errors, 0 warnings, 0 notes"});
}

TEST_CASE("device watch: what a baseline knows, or a suppression accepts, is no error any more") {
  const TemporaryFolder folder;
  const std::string baseline = (folder.path() / "known.jsonl").string(),
                    accepted = (folder.path() / "accepted").string();
  const std::string libraries = std::filesystem::path(FMHA950_DEVICE).parent_path().string();
  REQUIRE(std::system(("LD_LIBRARY_PATH=" + libraries + " FMHA950_CHECK=all FMHA950_REPORT=" + baseline +
                       " " HIP_HOST_PROGRAM " 1 2")
                          .c_str()) == 0);
  const Ran known = run_fmha950("device watch " HIP_HOST_PROGRAM " 1 2", "FMHA950_BASELINE=" + baseline);
  CHECK(known.exit_code == 0);
  CHECK(known.out.back() == "0 errors, 0 warnings, 0 notes");
  std::ofstream(accepted) << "memory_order _Z10store_oncePiii+0x28 a test\n";
  CHECK(run_fmha950("device watch " HIP_HOST_PROGRAM " 1 2", "FMHA950_SUPPRESS=" + accepted).exit_code == 0);
  std::ofstream(accepted) << "lds_order _Z10store_oncePiii+0x28 another class\n";
  CHECK(run_fmha950("device watch " HIP_HOST_PROGRAM " 1 2", "FMHA950_SUPPRESS=" + accepted).exit_code == 2);
}

TEST_CASE("device watch: a program's own exit code, and what was not checked") {
  CHECK(run_fmha950("device watch " HIP_HOST_PROGRAM).exit_code ==
        0); // it has a launch that is to fail, and no hazard
  const Ran nothing = run_fmha950("device watch false");
  CHECK(nothing.exit_code == 4);
  CHECK(any_line_has(nothing.err, "nothing was checked"));
  CHECK(run_fmha950("device watch").exit_code == 3);
}
