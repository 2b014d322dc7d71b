// The weakest changes that still work, by a test that knows what has to be there.
#include "harness/cure/weakest.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>

using namespace fmha950::harness::cure;

namespace {

Protection wait_at(uint64_t offset) {
  Protection protection;
  protection.at.offset = offset;
  protection.vmcnt = protection.lgkmcnt = 0;
  return protection;
}

bool has_wait(const Protections& all, uint64_t offset, int vmcnt) {
  return std::ranges::any_of(all, [&](const Protection& protection) {
    return protection.at.offset == offset && protection.vmcnt && *protection.vmcnt <= vmcnt;
  });
}

} // namespace

TEST_CASE("weakest: a change that nobody needs goes, and a wait lets as many be in flight as may be") {
  const Changes found =
      weakest({{wait_at(4)}, {wait_at(8)}}, [](const Protections& all) { return has_wait(all, 8, 5); });
  REQUIRE(found.size() == 1);
  CHECK(joined(found).front().text() == "s_waitcnt vmcnt(5)");
}

TEST_CASE("weakest: copies are alike, and one that nobody needs goes") {
  const auto works = [](const Protections& all) { return has_wait(all, 4, 2) && has_wait(all, 12, 7); };
  const Changes found = weakest({{wait_at(4), wait_at(8), wait_at(12)}}, works);
  const Protections all = joined(found);
  REQUIRE(all.size() == 2);
  CHECK(all[0].text() == "s_waitcnt vmcnt(2)"); // what the one of them needs
  CHECK(all[1].text() == "s_waitcnt vmcnt(2)");
  CHECK(works(all));
}

TEST_CASE("weakest: none can go at the end, also not one that could not before others went") {
  // Two of them belong together: the first can only go once the second has.
  const auto has = [](const Protections& all, uint64_t offset) { return has_wait(all, offset, 0); };
  const auto works = [&](const Protections& all) { return has(all, 12) && (!has(all, 8) || has(all, 4)); };
  const Changes copies = weakest({{wait_at(4), wait_at(8), wait_at(12)}}, works);
  CHECK(joined(copies).size() == 1);
  const Changes changes = weakest({{wait_at(4)}, {wait_at(8)}, {wait_at(12)}}, works);
  CHECK(joined(changes).size() == 1);
}

TEST_CASE("weakest: a barrier without waits before one with them, and as few wait states as do") {
  Protection barrier = wait_at(4);
  barrier.barrier = true;
  const Changes plain = weakest({{barrier}}, [](const Protections&) { return true; });
  CHECK(joined(plain).front().text() == "s_barrier");
  Protection states;
  states.at.offset = 4;
  states.states = 16;
  const Changes found = weakest({{states}}, [](const Protections& all) { return all.front().states >= 3; });
  CHECK(joined(found).front().states == 3);
}
