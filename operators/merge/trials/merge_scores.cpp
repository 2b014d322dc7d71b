// LSEs that make a wrong weight loud: far apart, large, infinite; and outputs that show each part's weight.
#include "operators/merge/trials/merge_trial.hpp"
#include "operators/merge/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace fmha950::harness {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

using LseOfPart = float (*)(int part, int row, int parts);

Probe scored(const char* name, const char* reason, LseBase base, LseOfPart lse) {
  Problem problem = merge_problem({.parts = 11, .heads = 2, .tokens = 5, .columns = 64});
  merge_form(problem)->base = base;
  return merge_probe(fmt::format("merge_lses/{}/base={}", name, name_of(base)), reason, problem,
                     [lse](int token, int head, std::span<float> lses) {
                       for (size_t part = 0; part < lses.size(); ++part)
                         lses[part] =
                             lse(static_cast<int>(part), token * 2 + head, static_cast<int>(lses.size()));
                     });
}

Probe with_empty(const char* name, const char* reason, bool (*is_empty)(int part, int token, int head),
                 float lse_of_empty) {
  const Problem problem = merge_problem({.parts = 6, .heads = 2, .tokens = 6, .columns = 128});
  const auto usual = operators::part_source(problem);
  return merge_probe(fmt::format("merge_empty/{}/lse={}", name, lse_of_empty > 0 ? "inf" : "-inf"), reason,
                     problem, [=](int token, int head, std::span<float> lses) {
                       usual.lses(token, head, lses);
                       for (size_t part = 0; part < lses.size(); ++part)
                         if (is_empty(static_cast<int>(part), token, head)) lses[part] = lse_of_empty;
                     });
}

} // namespace

std::vector<Probe> merge_lses() {
  std::vector<Probe> probes;
  for (const LseBase base : {LseBase::natural, LseBase::two}) {
    probes.push_back(scored("equal", "parts that weigh alike count otherwise", base,
                            [](int, int row, int) { return static_cast<float>(row); }));
    probes.push_back(scored("rising", "what was summed keeps the scale of a smaller LSE", base,
                            [](int part, int row, int) { return 1.5f * static_cast<float>(part + row); }));
    probes.push_back(
        scored("falling", "a later part moves the largest LSE down", base,
               [](int part, int row, int parts) { return 1.5f * static_cast<float>(parts - part + row); }));
    probes.push_back(scored(
        "far_apart", "weights that vanish are no numbers, or their parts count", base,
        [](int part, int row, int) { return part == row ? 900.0f : -900.0f - static_cast<float>(part); }));
    probes.push_back(scored("large", "powers of LSEs that are not relative overflow", base,
                            [](int part, int, int) { return 5000.0f + 0.25f * static_cast<float>(part); }));
    probes.push_back(scored("small", "powers of LSEs that are not relative vanish", base,
                            [](int part, int, int) { return -5000.0f - 0.25f * static_cast<float>(part); }));
  }
  return probes;
}

std::vector<Probe> merge_empty() {
  std::vector<Probe> probes;
  for (const float lse : {-infinity, infinity}) {
    probes.push_back(with_empty(
        "first", "the NaN of an empty part, whose weight is 0, counts",
        [](int part, int, int) { return part == 0; }, lse));
    probes.push_back(with_empty(
        "last", "the same of the last part, which stands for those past the end",
        [](int part, int, int) { return part == 5; }, lse));
    probes.push_back(with_empty(
        "first_four", "no part so far is no number", [](int part, int, int) { return part < 4; }, lse));
    probes.push_back(with_empty(
        "but_one", "another part counts in a row that has but one",
        [](int part, int token, int) { return part != token; }, lse));
    probes.push_back(with_empty(
        "of_some_heads", "emptiness belongs to a row, not to its token",
        [](int part, int token, int head) { return (part + token) % 2 == head; }, lse));
    probes.push_back(with_empty(
        "some_rows", "0 / 0 or -inf + inf where a row has no part",
        [](int, int token, int head) { return (token + head) % 2 == 0; }, lse));
    probes.push_back(with_empty("all", "the same in all rows", [](int, int, int) { return true; }, lse));
  }
  return probes;
}

std::vector<Probe> merge_weights() {
  constexpr int columns = 128;
  std::vector<Probe> probes;
  for (const int parts : {2, 5, 16}) {
    Problem problem = merge_problem({.parts = parts, .heads = 2, .tokens = 4, .columns = columns});
    Probe probe = merge_probe(fmt::format("merge_weights/parts={}", parts),
                              "a part with another part's weight, or another's output", problem, nullptr,
                              [parts](int part, int, int, std::span<float> row) {
                                for (size_t column = 0; column < row.size(); ++column)
                                  row[column] = static_cast<int>(column) % parts == part ? 1.0f : 0.0f;
                              });
    for (int column = 0; column < columns; ++column) probe.page_of_column.push_back(column % parts);
    probes.push_back(std::move(probe));
  }
  return probes;
}

} // namespace fmha950::harness
