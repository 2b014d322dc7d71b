// Where the barrier may be missing that one wave has more than another.
#include "emulator/observe/missing_barrier.hpp"

#include "tests/support/catch.hpp"
#include <string>
#include <vector>

using namespace fmha950;

namespace {

// Each letter is an s_barrier: the wave that has one more, and the one that has ended. "first", "last", "both", "between".
std::string place(const std::string& more, const std::string& fewer) {
  static const std::vector<isa::Instruction> code(128);
  const auto met = [](const std::string& letters) {
    std::vector<const isa::Instruction*> barriers;
    for (const char letter : letters) barriers.push_back(&code[static_cast<size_t>(letter)]);
    return barriers;
  };
  const observe::MissingBarrier missing = observe::missing_barrier(met(more), met(fewer));
  CHECK(missing.is_stagger() == (missing.may_be_first && !missing.may_be_last));
  if (missing.may_be_first) return missing.may_be_last ? "both" : "first";
  return missing.may_be_last ? "last" : "between";
}

} // namespace

TEST_CASE("missing barrier: in front of everything or of the first loop is the start") {
  CHECK(place("xabab", "abab") == "first");
  CHECK(place("cdxabab", "cdabab") == "first");
  CHECK(place("xb", "b") == "first");
  CHECK(place("cxababf", "cababf") == "first");
  CHECK(place("cdexaa", "cdeaa") == "first");
  CHECK(place("cxdefg", "cdefg") == "first"); // a loop with one turn
}

TEST_CASE(
    "missing barrier: in a loop, behind one, or between two where no loop is, it stands between others") {
  CHECK(place("abxab", "abab") == "between");
  CHECK(place("ababxf", "ababf") == "between");
  CHECK(place("bxc", "bc") == "between");
  CHECK(place("bcxde", "bcde") == "between");
  CHECK(place("ababbab", "ababab") == "between");
}

TEST_CASE("missing barrier: the last") {
  CHECK(place("ababy", "abab") == "last");
  CHECK(place("cd", "c") == "last");
}

TEST_CASE("missing barrier: loops of two groups are compared by their turns") {
  CHECK(place("xaaa", "bbb") == "first");
  CHECK(place("xababab", "cdcdcd") == "first");
  CHECK(place("cxaaaf", "cbbbf") == "first");
  CHECK(place("aaay", "bbb") == "last");
  CHECK(place("caabaa"
              "yf",
              "caadaaf") == "between");
}

TEST_CASE("missing barrier: where nothing tells, it may be either") {
  CHECK(place("b", "") == "both");
  CHECK(place("xa", "b") == "both");
  CHECK(place("cxdef", "cghi") == "both");
  CHECK(place("aaa", "aa") == "both");
}
