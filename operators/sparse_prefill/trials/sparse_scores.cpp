// sparse_prefill: what happens to scores between the two products.
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace fmha950::harness {

namespace {

// Tokens with no rows, one, a few and some tiles.
ListedRows some_lists() { return scattered_lists({0, 1, 40, 100, 0, 5}, {0, 0, 2, 65, 40, 0}); }

// No head has its neighbour's sink logit, nor that of the head 16 or 32 on.
std::vector<float> sinks_of_heads(int heads, float level) {
  std::vector<float> sinks;
  for (int head = 0; head < heads; ++head) sinks.push_back(level + 0.5f * static_cast<float>(head * 5 % 11));
  return sinks;
}

Probe sink_probe(const std::string& name, const char* reason, const SparseForm& form, float level,
                 std::optional<float> scale) {
  const ListedRows lists = some_lists();
  Problem problem = sparse_problem(form, lists);
  problem.sink_logit = true;
  if (scale) problem.scale = scale;
  return altered_sparse_probe(name, reason, problem, lists, [=](operators::SparseChoices& choices) {
    choices.sink_logits = sinks_of_heads(form.heads, level);
  });
}

// Lists in the order of the rows, so that scores may depend on the place in a list; those of the chunk go on
// where those of the pool end.
ListedRows ordered_lists(const std::vector<int>& lengths, int in_pool) {
  ListedRows lists{{}, {}, in_pool, 0};
  for (const int length : lengths) {
    std::vector<int32_t> prefix, extend;
    for (int row = 0; row < length; ++row)
      (row < in_pool ? prefix : extend).push_back(row < in_pool ? row : row - in_pool);
    lists.prefix.of_token.push_back(prefix);
    lists.extend.of_token.push_back(extend);
    lists.chunk_rows = std::max(lists.chunk_rows, length - in_pool);
  }
  return lists;
}

constexpr int scored_columns = 64; // of NOPE, the first ones, and all of ROPE: what scores are made of
constexpr float unit = 0x1p-8f;    // of what fp8 rows hold exactly beside a 1

bool scored(size_t column) { return column < scored_columns || column >= sparse::nope_columns; }

// In the first column, by which scores differ, q = 2 units and k = level(row) units; in the other scored ones
// q = base and k = 1; in the rest q = 0, and k is random.
std::shared_ptr<const workload::ValueSource> levels(int (*level)(int row), float base) {
  return std::make_shared<SparseValues>(
      [=](int, int, std::span<float> columns) {
        for (size_t i = 0; i < columns.size(); ++i) columns[i] = scored(i) ? base : 0.0f;
        columns[0] = 2 * unit;
      },
      [=](int row, std::span<float> columns) {
        random_row(row, columns);
        for (size_t i = 0; i < columns.size(); ++i)
          if (scored(i)) columns[i] = 1.0f;
        columns[0] = static_cast<float>(level(row)) * unit;
      });
}

constexpr int run_of_rows = 32; // with the same level
int rising(int row) { return row / run_of_rows; }
int falling(int row) { return 15 - row / run_of_rows; } // up to 15 they are exact in fp8
int jumping(int row) { return row % 50 == 49 ? 15 : row % 3; }

} // namespace

std::vector<Probe> sparse_sinks() {
  struct Level {
    const char* name;
    float logit;
  };
  // The sum of a token's exponentials is at most some e^5.
  constexpr Level sinks[] = {{"above", 25}, {"near", 2}, {"below", -30}};
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms()) {
    for (const Level& level : sinks)
      probes.push_back(sink_probe(fmt::format("sparse_sink/{}/{}", level.name, text_of(form)),
                                  "a sink of another head, in the wrong base, scaled, or missing from output "
                                  "or LSE; one far above or below the scores that overflows",
                                  form, level.logit, std::nullopt));
    probes.push_back(sink_probe(fmt::format("sparse_sink/large_scale/{}", text_of(form)),
                                "a softmax scale that is not the argument's, or a sink that it is applied to",
                                form, 30, 0.7f));
    probes.push_back(sink_probe(fmt::format("sparse_sink/small_scale/{}", text_of(form)),
                                "a softmax scale that is not the argument's, or a sink that it is applied to",
                                form, 3, 0.003f));
  }
  return probes;
}

std::vector<Probe> sparse_scores() {
  struct Shape {
    const char* name;
    int (*level)(int row);
    float step; // of scores to the base of 2, from a level to the next
    float base;
  };
  // Steps of 12 let what was accumulated before nearly vanish. Those of 1 are among scores of 2^22, where
  // fp32 has steps of a half.
  constexpr Shape shapes[] = {{"rising", rising, 12, 0},
                              {"falling", falling, 12, 0},
                              {"jumping", jumping, 12, 0},
                              {"large", rising, 1, 1}};
  const ListedRows lists = ordered_lists({400, 33, 70, 1, 200}, 150);
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_forms())
    for (const Shape& shape : shapes) {
      Problem problem = sparse_problem(form, lists);
      problem.scale = shape.step / (2 * unit * unit * std::numbers::log2e_v<float>);
      probes.push_back(sparse_probe(fmt::format("sparse_scores/{}/{}", shape.name, text_of(form)),
                                    "maxima that rise or fall from tile to tile: what was accumulated is not "
                                    "rescaled, or P leaves the range of its format",
                                    problem, lists, levels(shape.level, shape.base)));
    }
  return probes;
}

} // namespace fmha950::harness
