#pragma once
// What no source settles and a micro-kernel can: a row for each question, and how it is asked (docs/silicon_check.md).

#include "harness/silicon/silicon_check.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fmha950::harness {

// What a step may cost, and what that means.
struct Answer {
  double clocks;
  std::string_view meaning;
  // By which the cycle model takes this answer (emulator/timing/assumption_words.hpp); "": it is what it has anyhow. Null:
  // it has no word for it yet.
  const char* word;
};

// What a chase goes through, from where its data come; pages: L2, by more pages than a CU may know; code: no data, but more
// code than the instruction cache holds.
enum class ChaseThrough : uint8_t { nothing, code, lds, l1, l2, pages, mall, hbm };

struct Question {
  std::string_view name, asks;
  std::string_view kernel; // calibration/micro.hpp
  ChaseThrough through = ChaseThrough::nothing;
  std::span<const Answer> answers; // by clocks, ascending
};
std::span<const Question> questions();
const Question* find_question(std::string_view name); // null: there is none

// The answer that this many clocks of a step mean: the nearest, if it is nearer than a third of the way to the next one and
// than a tenth of itself. None: it is none of them.
const Answer* answer_of(const Question& question, double clocks);
// What the model has if nothing is assumed.
const Answer& modelled_answer(const Question& question);

// Whether the embedded device can tell: it has no HBM behind MALL under `timed`.
bool is_visible_on_model(const Question& question);

// Asks it of the device. On the embedded device under schedule `timed`, whose clocks are the model's; else a GPU's.
MeasuredQuestion ask(const Question& question);

} // namespace fmha950::harness
