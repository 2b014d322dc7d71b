// The questions of silicon-check: the rehearsal finds what the model has, or what is planted in it, and nothing else.
#include "emulator/timing/assumption_words.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/silicon/question.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

using Words = std::vector<std::string>;

// All questions, or all but the long chases.
SiliconCheck answers_under(const Words& planted, bool chases = false) {
  set_option("schedule", planted.empty() ? "timed" : fmt::format("timed:{}", fmt::join(planted, "+")));
  SiliconCheck check;
  for (const Question& question : questions())
    if (chases || (question.through != ChaseThrough::mall && question.through != ChaseThrough::pages))
      check.questions.push_back(ask(question));
  set_option("schedule", "eager");
  return check;
}

} // namespace

TEST_CASE("questions: each has one answer of the model, and answers that can be told apart") {
  std::set<std::string_view> names;
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    CHECK(names.insert(question.name).second);
    CHECK(find_question(question.name) == &question);
    CHECK(std::ranges::is_sorted(question.answers, {}, &Answer::clocks));
    int modelled = 0;
    for (const Answer& answer : question.answers) {
      CHECK(answer_of(question, answer.clocks) == &answer);
      CHECK(answer_of(question, 1.02 * answer.clocks) == &answer);
      CHECK(answer_of(question, 1.5 * answer.clocks) != &answer);
      if (answer.word && *answer.word)
        CHECK(std::ranges::count(timing::assumption_words, answer.word, &timing::AssumptionWord::word) == 1);
      modelled += answer.word && std::string_view(answer.word).empty();
    }
    CHECK(modelled == 1);
  }
  CHECK(find_question("none") == nullptr);
  const Question& rate = *find_question("lds_read_rate");
  CHECK(answer_of(rate, 6) == nullptr);
  CHECK(answer_of(rate, 4.5) == nullptr);
  CHECK(answer_of(*find_question("cvt_pk_fp8"), 12) == nullptr);
}

TEST_CASE("questions: a step's clocks are the difference of medians") {
  const MeasuredQuestion question{
      "q", 10, {{1, 100, 4}, {3, 300, 12}, {1, 140, 4}, {3, 320, 12}, {1, 900, 4}, {3, 340, 12}}};
  CHECK(clocks_of_step(question) == Approx((320.0 - 140) / 20));
  CHECK_FALSE(clocks_of_step({"q", 10, {}}));
  CHECK_FALSE(clocks_of_step({"q", 10, {{1, 100, 4}}}));
  CHECK_FALSE(clocks_of_step({"q", 10, {{1, 100, 4}, {2, 90, 4}}}));
}

TEST_CASE("questions: the rehearsal finds the model's constants") {
  const SiliconCheck check = answers_under({}, true);
  CHECK(words_of(check).empty());
  for (const MeasuredQuestion& measured : check.questions) {
    CAPTURE(measured.name);
    const Question& question = *find_question(measured.name);
    const auto clocks = clocks_of_step(measured);
    CHECK(clocks.has_value() == is_visible_on_model(question));
    if (!clocks) continue;
    CAPTURE(*clocks);
    CHECK(answer_of(question, *clocks) == &modelled_answer(question));
    for (const LoopRun& run : measured.runs) // of 100 MHz and a clock of 2,400
      CHECK(static_cast<double>(run.ticks) == Approx(static_cast<double>(run.clocks) / 24).margin(1.01));
  }
}

TEST_CASE("questions: the rehearsal finds planted constants, and no others", "[slow]") {
  std::vector<Words> all = {{"lds128", "exp16", "mfma_slot"}, {"cvt16", "cvt_u8_8"}};
  for (const Question& question : questions())
    for (const Answer& answer : question.answers)
      if (answer.word && *answer.word) all.push_back({answer.word});
  for (const Words& planted : all) {
    CAPTURE(planted);
    const bool chases = planted.front() == "cold" || planted.front() == "tlb"; // of which those say something
    CHECK(words_of(answers_under(planted, chases)) == planted);
  }
}

TEST_CASE("questions: what timed cannot assume is refused with what it can") {
  for (const char* wrong : {"timed:", "timed:lds256", "timed:lds128+", "timed:lds128,exp16"})
    CHECK_THROWS_WITH(set_option("schedule", wrong),
                      Catch::Contains("must be words joined by +, of cold, lds128"));
  CHECK_NOTHROW(set_option("schedule", "timed:exp16+lds128"));
  set_option("schedule", "eager");
}
