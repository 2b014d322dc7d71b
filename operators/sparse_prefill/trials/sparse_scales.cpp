// sparse_prefill: scales of fp8 rows that no mistake leaves unnoticed, and NOPE beside ROPE of another size.
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "operators/sparse_prefill/trials/sparse_form.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// Exponents of the magnitudes of values that share a scale: scale block `block` (ROPE is the last) of a row of Q or of
// a key.
struct Pattern {
  std::string name;
  std::function<int(int row, int block)> query, key;
  int score; // of the largest scores; the softmax scale takes it back
};

int none(int, int) { return 0; }

// 0, 1 or 2, as if by chance: any other row's, block's or half's is another in two of three places.
int scattered(int row, int block) {
  const auto bits = workload::philox({static_cast<uint32_t>(row), static_cast<uint32_t>(block), 0, 0}, 1)[0];
  return static_cast<int>(bits % 3);
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (const int step : {3, 7, 10})
    all.push_back({fmt::format("scattered_{}", 2 * step), none,
                   [=](int row, int block) { return step * scattered(row, block); }, 2 * step});
  all.push_back({"query", [](int row, int block) { return 6 * scattered(row, block); }, none, 12});
  all.push_back({"keys", none, [](int row, int) { return 8 * scattered(row, 0); }, 16});
  // What weighs least in the keys weighs most in the query, so that all columns count in the score.
  all.push_back({"columns", [](int, int block) { return 6 - 6 * (block % 2); },
                 [](int, int block) { return 6 * (block % 2); }, 6});
  return all;
}

void scale_columns(std::span<float> columns, int block_columns, const std::function<int(int)>& exponent) {
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] = std::ldexp(columns[i], exponent(static_cast<int>(i) / block_columns));
}

std::shared_ptr<const workload::ValueSource> values_of(const Pattern& pattern, const SparseForm& form) {
  const int columns = form.format == RowFormat::packed ? sparse::packed_block : sparse::split_block;
  return std::make_shared<SparseValues>(
      [=](int token, int head, std::span<float> row) {
        random_query(token, head, row);
        scale_columns(row, columns,
                      [&](int block) { return pattern.query(token * form.heads + head, block); });
      },
      [=](int key, std::span<float> row) {
        random_row(key, row);
        scale_columns(row, columns, [&](int block) { return pattern.key(key, block); });
      });
}

// Every 24th key is that much larger than its neighbours and has no weight, which its ROPE columns see to.
std::shared_ptr<const workload::ValueSource> large_unweighted_rows(int exponent) {
  return std::make_shared<SparseValues>(
      [=](int token, int head, std::span<float> row) {
        random_query(token, head, row);
        scale_columns(row.first<sparse::nope_columns>(), sparse::nope_columns,
                      [=](int) { return -exponent; });
        std::ranges::fill(row.subspan<sparse::nope_columns>(), 1.0f);
      },
      [=](int key, std::span<float> row) {
        random_row(key, row);
        if (key % 24 != 5) return;
        scale_columns(row.first<sparse::nope_columns>(), sparse::nope_columns, [=](int) { return exponent; });
        std::ranges::fill(row.subspan<sparse::nope_columns>(), -20.0f);
      });
}

Probe probe_of(const char* family, const char* reason, const Pattern& pattern, const SparseForm& form) {
  const ListedRows lists = scattered_lists({40, 3, 70}, {30, 60, 0});
  Problem problem = sparse_problem(form, lists);
  problem.scale = std::ldexp(*problem.scale, -pattern.score);
  return sparse_probe(fmt::format("{}/{}/{}", family, pattern.name, text_of(form)), reason, problem, lists,
                      values_of(pattern, form));
}

} // namespace

std::vector<Probe> sparse_scales() {
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_fp8_forms())
    for (const Pattern& pattern : patterns())
      probes.push_back(probe_of("sparse_scales",
                                "scales of neighbouring rows and columns are 2^6 to 2^20 apart: those of "
                                "another row, block or half of an instruction show",
                                pattern, form));
  const ListedRows lists = scattered_lists({96, 33, 70}, {30, 60, 0});
  for (const SparseForm& form : sparse_fp8_forms())
    for (const int exponent : {12, 24})
      probes.push_back(
          sparse_probe(fmt::format("sparse_scales/unweighted_{}/{}", exponent, text_of(form)),
                       fmt::format("rows without weight are 2^{} larger than their neighbours: P in units of "
                                   "such a row's scale vanishes",
                                   exponent),
                       sparse_problem(form, lists), lists, large_unweighted_rows(exponent)));
  return probes;
}

std::vector<Probe> sparse_rope() {
  const auto large = [](const SparseForm& form) {
    const int last = form.format == RowFormat::packed ? 14 : 7; // ROPE begins there
    return [=](int, int block) { return block >= last ? 6 : 0; };
  };
  const auto small = [=](const SparseForm& form) {
    return [=](int row, int block) { return 6 - large(form)(row, block); };
  };
  std::vector<Probe> probes;
  for (const SparseForm& form : sparse_fp8_forms())
    for (const Pattern& pattern :
         {Pattern{"large", small(form), large(form), 6}, Pattern{"small", large(form), small(form), 6}})
      probes.push_back(probe_of("sparse_rope",
                                "NOPE and ROPE weigh alike in the score but are 2^6 apart in Q and in the "
                                "keys: ROPE that a scale is applied to, or left out, shows",
                                pattern, form));
  return probes;
}

} // namespace fmha950::harness
