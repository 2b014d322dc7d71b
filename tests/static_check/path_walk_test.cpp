// Which paths are none because their branches contradict each other, and which lanes of a load are touched.
#include "emulator/static_check/proof.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

// Of the kernel without each of its waits, in code order: "p" proved, "r" refuted, "u" undecided.
std::string verdicts(const std::string& name) {
  static const auto object = test::load_code_object("static_check_paths");
  const loader::Kernel& kernel = *object->find_kernel(name);
  const static_check::Prover prover(kernel);
  std::string all;
  for (const observe::Mutation& mutation : observe::mutations_of(kernel))
    if (mutation.change == observe::Change::vmcnt_dropped) all += name_of(prover.judge(mutation).verdict)[0];
  return all;
}

} // namespace

TEST_CASE("path walk: what other lanes do to a register touches no load in flight") {
  CHECK(verdicts("other_lanes") == "pp");
  CHECK(verdicts("lanes_in_common") == "rp");
  CHECK(verdicts("other_lanes_compared_again") == "rp");
  CHECK(verdicts("across_lanes") == "r");
}

TEST_CASE("path walk: branches on the same comparison or mask go together, on others they do not") {
  CHECK(verdicts("same_comparison") == "ppp");
  CHECK(verdicts("contrary_comparison") == "ppp");
  CHECK(verdicts("other_comparison") == "prp");
  CHECK(verdicts("changed_comparison") == "prp");
  CHECK(verdicts("signed_constant") == "prp"); // -1, and 65535
  CHECK(verdicts("mask_with_lanes") == "pp");
  CHECK(verdicts("other_mask_with_lanes") == "pr");
}

TEST_CASE("path walk: a mask that has lanes in every wave is never empty") {
  CHECK(verdicts("first_lanes") == "pp");
  CHECK(verdicts("first_work_items") == "pr");
}

TEST_CASE("path walk: where there are too many paths, a register may be touched", "[unsanitized]") {
  CHECK(verdicts("endless_paths") == "r");
}
