// Inequalities of whole numbers: those that hold for some numbers do not contradict each other.
#include "emulator/static_check/linear_form.hpp"

#include "tests/support/catch.hpp"
#include <random>

using namespace fmha950;
using static_check::contradict;
using static_check::Inequalities;
using static_check::LinearForm;

namespace {

LinearForm x(int64_t factor) { return multiple(LinearForm::unknown(1), factor); }
LinearForm y(int64_t factor) { return multiple(LinearForm::unknown(2), factor); }
LinearForm constant(int64_t value) { return LinearForm::of(value); }

} // namespace

TEST_CASE("linear forms: terms and ranges are added, subtracted and multiplied") {
  const LinearForm row = sum(x(64), {{}, 0, 63});
  CHECK(difference(sum(row, y(1)), y(1)) == row);
  CHECK(multiple(row, -2) == LinearForm{{{1, -128}}, -126, 0});
  CHECK(difference(row, row) == LinearForm{{}, -63, 63}); // another lane's
  CHECK(multiple(row, 0) == LinearForm{});
}

TEST_CASE("linear forms: what contradicts itself is found to, and not what is one smaller") {
  CHECK_FALSE(contradict({}));
  CHECK(contradict({constant(1)}));
  CHECK_FALSE(contradict({constant(0)}));
  // x + 1 <= y <= x
  CHECK(contradict({sum(sum(x(1), y(-1)), constant(1)), sum(y(1), x(-1))}));
  CHECK_FALSE(contradict({sum(x(1), y(-1)), sum(y(1), x(-1))}));
  // 1 <= 2 x <= 1: of no whole number
  CHECK(contradict({sum(x(2), constant(-1)), sum(x(-2), constant(1))}));
  // Only the least of a range counts: some lane has it.
  CHECK_FALSE(contradict({{{}, 0, 63}}));
  CHECK(contradict({{{}, 1, 63}}));
}

TEST_CASE("linear forms: with numbers that are too large nothing is found, and nothing overflows") {
  const int64_t large = int64_t{1} << 40;
  CHECK_FALSE(contradict({sum(x(large), y(1)), sum(x(-large), y(1)), sum(y(-1), constant(1))}));
  CHECK_FALSE(contradict({sum(x(1), constant(large)), sum(x(-1), constant(0))}));
}

TEST_CASE("linear forms: inequalities that three numbers fulfil are never found to contradict each other") {
  std::mt19937 random(20);
  const auto up_to = [&](int most) { return static_cast<int64_t>(random() % (2 * most + 1)) - most; };
  int contradictions = 0;
  for (int round = 0; round < 5000; ++round) {
    const int64_t values[] = {up_to(50), up_to(50), up_to(50)};
    Inequalities fulfilled, any;
    for (int i = 0; i < 6; ++i) {
      LinearForm form;
      int64_t total = 0;
      for (uint64_t number = 0; number < 3; ++number) {
        const int64_t factor = up_to(3);
        total += factor * values[number];
        form = sum(form, multiple(LinearForm::unknown(number), factor));
      }
      fulfilled.insert(sum(form, constant(-total - static_cast<int64_t>(random() % 3))));
      any.insert(sum(form, constant(up_to(9))));
    }
    CHECK_FALSE(contradict(fulfilled));
    contradictions += contradict(any);
  }
  CHECK(contradictions > 100); // and some are found
}
