// Paths that are none because of what is compared on them.
#include "emulator/static_check/proof.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using Verdict = static_check::Proof::Verdict;

namespace {

// Of the kernel without each of its waits for the load, in code order: "p" proved, "r" refuted.
std::string verdicts(const std::string& name) {
  static const auto object = test::load_code_object("static_check_linear");
  const loader::Kernel& kernel = *object->find_kernel(name);
  const static_check::Prover prover(kernel);
  std::string all;
  for (const observe::Mutation& mutation : observe::mutations_of(kernel)) {
    if (mutation.change != observe::Change::vmcnt_dropped) continue;
    const static_check::Proof proof = prover.judge(mutation);
    all += name_of(proof.verdict)[0];
    // Each rests on the premise.
    CAPTURE(name, proof.reason);
    CHECK(
        (proof.verdict == Verdict::proved) ==
        (proof.reason.find("given that sums and products that are compared as signed") != std::string::npos));
  }
  return all;
}

} // namespace

TEST_CASE("linear values: a path on which rows lie behind an end and well before it is none") {
  for (const char* name : {"well_before", "next_tile", "all_lanes_again"}) {
    CAPTURE(name);
    CHECK(verdicts(name) == "pr");
  }
  CHECK(verdicts("well_before_contrary") == "rp");
}

TEST_CASE("linear values: where numbers agree, are others, or are compared otherwise, the path is one") {
  for (const char* name :
       {"one_tile_before", "two_tiles_of_rows", "larger_of_two", "unsigned_rows", "unsigned_tiles",
        "lanes_before", "last_tile", "other_tile", "other_end", "some_lanes", "loaded_in_a_loop"}) {
    CAPTURE(name);
    CHECK(verdicts(name) == "rr");
  }
}
