// Code that no compiler makes: the analyses come to an end on it, and say nothing of what is not reached.
#include "emulator/static_check/hazards.hpp"
#include "emulator/static_check/superfluous.hpp"
#include "tests/static_check/random_code.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("static check: random code is judged to the end, each place that is reached once",
          "[unsanitized]") {
  std::mt19937 random(950);
  size_t findings = 0, superfluous = 0, leaving = 0;
  for (int round = 0; round < 300; ++round) {
    const std::vector<uint32_t> words = test::random_words(random, 200, round % 2 ? 7 : 9);
    const auto begin = reinterpret_cast<uint64_t>(words.data());
    isa::Program program;
    const static_check::Code code(program.decode(begin, begin + words.size() * 4, 128), 128,
                                  static_check::Code::Kind::kernel);
    for (const static_check::Finding& finding : static_check::find_hazards(code)) {
      ++findings;
      CHECK(code.block_of(finding.later) != static_check::Code::none);
    }
    superfluous += static_check::find_superfluous(code).size();
    leaving += code.leaves();
  }
  CAPTURE(findings, superfluous, leaving);
  CHECK(findings > 100);
  CHECK(leaving > 10);
  CHECK(superfluous > 100);
}
