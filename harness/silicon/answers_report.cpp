// What a measurement says, for people.
#include "harness/silicon/silicon_check.hpp"

#include "harness/silicon/question.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fmha950::harness {
namespace {

bool is_word(const Answer& answer) { return answer.word && *answer.word; }

std::string consequence(const Question& question, const Answer* answer) {
  const Answer& modelled = modelled_answer(question);
  if (answer == &modelled) return "as the program has it";
  if (!answer) return fmt::format("NONE OF THEM; the program has {:g}", modelled.clocks);
  if (is_word(*answer)) return fmt::format("--assume {}", answer->word);
  return fmt::format("the program has {:g}, and no word for this", modelled.clocks);
}

void print_questions(const SiliconCheck& check, std::FILE* out) {
  fmt::print(out, "{:<20} {:>8}  {:<42} {:<40} {}\n", "question", "clocks", "means", "of the answers", "so");
  for (const MeasuredQuestion& measured : check.questions) {
    const Question& question = *find_question(measured.name);
    std::vector<std::string> candidates;
    for (const Answer& answer : question.answers) candidates.push_back(fmt::format("{:g}", answer.clocks));
    const std::string all = fmt::format("{}", fmt::join(candidates, ", "));
    const auto clocks = clocks_of_step(measured);
    if (!clocks) {
      fmt::print(out, "{:<20} {:>8}  {:<42} {:<40}\n", measured.name, "-", "not visible here", all);
      continue;
    }
    const Answer* answer = answer_of(question, *clocks);
    fmt::print(out, "{:<20} {:>8.1f}  {:<42} {:<40} {}\n", measured.name, *clocks,
               answer ? answer->meaning : "?", all, consequence(question, answer));
  }
  const std::vector<std::string> words = words_of(check);
  fmt::print(out, "{}\n",
             words.empty() ? "run the program without --assume: it has all answers that it has words for"
                           : fmt::format("run the program with --assume {}", fmt::join(words, ",")));
}

void print_windows(const SiliconCheck& check, std::FILE* out) {
  fmt::print(out, "\n{:<24} {:>8} {:>18}  \n", "window", "required", "right from");
  for (const MeasuredWindow& window : check.windows) {
    const int needed = window.needed();
    // The embedded device executes one instruction after the other.
    const bool invisible = check.environment.embedded && needed == 0;
    fmt::print(out, "{:<24} {:>8} {:>18}  {}\n", window.name, window.required,
               invisible ? "not visible here" : fmt::format("{}", needed),
               needed > window.required ? "MORE THAN THE RULE ASKS FOR" : "");
  }
}

void print_differential(const SiliconCheck& check, std::FILE* out) {
  size_t same = 0;
  fmt::print(out, "\n");
  for (const MeasuredDifferential& differential : check.differential) {
    same += differential.is_as_here();
    if (!differential.is_as_here())
      fmt::print(out, "{}: NOT THE BITS OF THE EMBEDDED DEVICE\n", differential.name);
    if (const std::string rounding = differential.rounding(); !rounding.empty())
      fmt::print(out, "{}: rounds as with FMHA950_BYTE_ROUNDING={}\n", differential.name, rounding);
  }
  fmt::print(out, "{} of {} instructions give the bits of the embedded device\n", same,
             check.differential.size());
}

void print_probes(const SiliconCheck& check, std::FILE* out) {
  size_t passed = 0;
  for (const MeasuredProbe& probe : check.probes) {
    passed += probe.verdict == "passed";
    if (probe.verdict != "passed") fmt::print(out, "\n{}: {}: {}", probe.name, probe.verdict, probe.reason);
  }
  fmt::print(out, "\n{} of {} probes of instructions passed\n", passed, check.probes.size());
}

} // namespace

std::vector<std::string> words_of(const SiliconCheck& check) {
  std::vector<std::string> words;
  for (const MeasuredQuestion& measured : check.questions) {
    const auto clocks = clocks_of_step(measured);
    const Answer* answer = clocks ? answer_of(*find_question(measured.name), *clocks) : nullptr;
    if (answer && is_word(*answer) && std::ranges::find(words, answer->word) == words.end())
      words.emplace_back(answer->word);
  }
  return words;
}

void print_answers(const SiliconCheck& check, std::FILE* out) {
  fmt::print(out, "{}, {}, {}{}{}\n", check.environment.device, check.environment.library, check.date,
             check.environment.embedded ? "; a REHEARSAL: clocks are modelled, and say nothing about a GPU"
                                        : "",
             check.assume.empty() ? "" : fmt::format("; planted: {}", check.assume));
  print_questions(check, out);
  print_windows(check, out);
  print_differential(check, out);
  print_probes(check, out);
}

} // namespace fmha950::harness
