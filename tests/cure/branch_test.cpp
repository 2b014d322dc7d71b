// Barriers and branches: one in front of a branch comes before one behind it.
#include "harness/cure/candidates.hpp"
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words reversed(const Words& in, const CorpusProblem& problem) {
  Words out(in.begin(), in.begin() + 128);
  if (problem.n & 1) std::reverse(out.begin(), out.end()); // the branch is taken
  return out;
}

TestPatient read_in_branch() {
  return TestPatient(kernel_of("cure_kernels", "read_in_branch", 128, {{129, 1}, {128, 1}}, reversed));
}

const Place& only(const std::vector<Place>& places, const char* opcode) {
  const auto is_of = [&](const Place& place) { return place.text.starts_with(opcode); };
  REQUIRE(std::ranges::count_if(places, is_of) == 1);
  return *std::ranges::find_if(places, is_of);
}

} // namespace

TEST_CASE("cure: a barrier stands in front of a branch where one behind it would do, too") {
  auto of = read_in_branch();
  const auto places = all_places(of.patient.kernel());
  const uint64_t read = only(places, "ds_read_b32").at.offset, branch = only(places, "s_cbranch").at.offset;
  REQUIRE(branch < read);
  const Fault fault = of.fault();
  REQUIRE_FALSE(fault.errors.empty());

  // Behind the branch it is proven as well, and nearer to what comes later.
  Protection behind;
  behind.at.offset = read;
  behind.barrier = true;
  CHECK(prove(of.patient, fault, {behind}).objection == "");

  const Cure cure = find_cure(of.patient, fault, {});
  CAPTURE(cure.proof.objection);
  REQUIRE(cure.verdict == Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 1);
  CHECK(cure.protections.front().barrier);
  CHECK(cure.protections.front().at.offset <= branch);
  CHECK(cure.protections.front().branches == 0);
}

TEST_CASE("cure: barriers behind a branch are tried, and after those in front of it") {
  auto of = read_in_branch();
  int branches = 0;
  size_t behind = 0;
  for (const Protection& each : candidates(of.patient.kernel(), of.fault().reports, {})) {
    if (!each.barrier) continue;
    CHECK(each.branches >= branches);
    branches = each.branches;
    behind += each.branches > 0;
  }
  CHECK(behind > 0);
}

TEST_CASE("cure: which places a branch leads past") {
  const auto branches_around = [](const char* name, const char* opcode) {
    auto of = TestPatient(kernel_of("cure_kernels", name, 128, {{128, 1}}, reversed));
    return only(all_places(of.patient.kernel()), opcode).branches;
  };
  CHECK(branches_around("read_in_branch", "ds_write_b32") == 0);
  CHECK(branches_around("read_in_branch", "ds_read_b32") == 1);
  CHECK(branches_around("read_in_branch", "global_store_dword") == 0); // where the ways meet again
  CHECK(branches_around("two_ways", "s_endpgm") == 0);
  CHECK(branches_around("branches", "s_nop 1") == 1);
  CHECK(branches_around("branches", "s_nop 2") == 1); // the branch before decides nothing here
  CHECK(branches_around("branches", "s_nop 3") == 2);
  CHECK(branches_around("branches", "s_nop 4") == 1);
  CHECK(branches_around("branches", "s_nop 5") == 0);
  CHECK(branches_around("impatient", "v_readfirstlane_b32 s20") ==
        0);                                              // of a loop that is left: no way past it
  CHECK(branches_around("impatient", "s_sub_u32") == 0); // each turn that goes on comes there
}

TEST_CASE("cure: a barrier behind a branch has to save more than one in front of it") {
  Protection front, behind, wait;
  front.barrier = behind.barrier = true;
  behind.branches = 1;
  wait.vmcnt = 0;
  wait.branches = 3; // a wait is each wave's own
  const Price price;
  CHECK(least_gain(price, {front}, {front}) == price.nothing);
  CHECK(least_gain(price, {front}, {behind}) == price.gain_for_barrier);
  CHECK(least_gain(price, {behind}, {front}) == price.nothing);
  CHECK(least_gain(price, {wait}, {front}) == price.gain_for_barrier);
  CHECK(least_gain(price, {front}, {wait}) == price.nothing);
  CHECK(least_gain(price, {front}, {front, front}) == price.gain_for_barrier);
}
