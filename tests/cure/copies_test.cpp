// Which places are copies of one another.
#include "harness/cure/copies.hpp"
#include "tests/cure/patient_of.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Protection wait_at(const Place& place) {
  Protection protection;
  protection.at = place.at;
  protection.source = place.source;
  protection.vmcnt = 0;
  return protection;
}

std::vector<Place> starting_with(const std::vector<Place>& code, const char* opcode) {
  std::vector<Place> found;
  std::ranges::copy_if(code, std::back_inserter(found),
                       [&](const Place& place) { return place.text.starts_with(opcode); });
  return found;
}

} // namespace

TEST_CASE("copies: those of an unrolled loop are one change, with line information and without") {
  for (const std::string object : {"planted_kernels", "planted_kernels_without_lines"}) {
    CAPTURE(object);
    const hip::Kernel kernel = hip::load_kernel(object, "unrolled_by_8_bad");
    const std::vector<Place> loads = starting_with(all_places(kernel), "global_load_dword");
    REQUIRE(loads.size() == 8);
    const auto copies = Copies(kernel, {}).of(wait_at(loads[3]));
    REQUIRE_FALSE(copies.empty());
    std::vector<CodePlace> places, wanted;
    for (const Protection& copy : copies.front()) places.push_back(copy.at);
    for (const Place& load : loads) wanted.push_back(load.at);
    CHECK(places == wanted);
    CHECK(changes_in(copies.front()) == 1);
    // Where a mutant changed the code nothing is put.
    const std::set<CodePlace> changed = {loads[5].at};
    const auto others = Copies(kernel, changed).of(wait_at(loads[3]));
    REQUIRE_FALSE(others.empty());
    CHECK(others.front().size() == 7);
  }
}

TEST_CASE("copies: a place that is the only one of its kind has none") {
  const hip::Kernel kernel = hip::load_kernel("cure_kernels", "late_wait");
  const std::vector<Place> loads = starting_with(all_places(kernel), "global_load_dword");
  REQUIRE(loads.size() == 1);
  CHECK(Copies(kernel, {}).of(wait_at(loads.front())).empty());
}

TEST_CASE("copies: a wait for all is no copy of one that can wait for more") {
  const hip::Kernel kernel = hip::load_kernel("cure_kernels", "loose_wait");
  const std::vector<Place> waits = starting_with(all_places(kernel), "s_waitcnt");
  const auto loose = std::ranges::find_if(
      waits, [](const Place& place) { return place.text.find("vmcnt(2)") != std::string::npos; });
  REQUIRE(loose != waits.end());
  Protection tightened = wait_at(*loose);
  tightened.tightens = true;
  for (const auto& copies : Copies(kernel, {}).of(tightened))
    for (const Protection& copy : copies) CHECK(copy.instruction.find("vmcnt(0)") == std::string::npos);
}
