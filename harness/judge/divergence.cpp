#include "harness/judge/divergence.hpp"

#include "interface/implementation.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::harness {

namespace {

constexpr int most_tiles = 64; // longer rows have larger tiles

struct Keys {
  int begin = 0, end = 0; // that the row sees, sink tokens before a window aside
};

Keys keys_of(const Visibility& sees) {
  const bool joined = sees.sink_end >= sees.window_begin; // the window begins with the first key
  return {joined ? 0 : static_cast<int>(std::min(sees.window_begin, std::max<int64_t>(sees.end, 0))),
          static_cast<int>(std::max<int64_t>(sees.end, 0))};
}

using Vector = std::vector<double>;

double absolute_cosine(std::span<const double> a, const Vector& b) {
  double aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  return aa == 0 || bb == 0 ? 0 : std::fabs(ab) / std::sqrt(aa * bb);
}

Vector combine(const Vector& a, double factor, const Vector& b) { // a + factor * b
  Vector sum(a);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * b[i];
  return sum;
}

} // namespace

std::optional<KvTile> diverging_tile(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                                     std::span<const double> error) {
  const Keys keys = keys_of(oracle().visibility(problem, tensors, row));
  const int smallest = problem.op->facts().tile_keys,
            small_tiles = (keys.end - keys.begin + smallest - 1) / smallest;
  if (small_tiles < 2) return std::nullopt;
  const int tile = smallest * ((small_tiles + most_tiles - 1) / most_tiles);
  std::vector<int> lengths;
  if (keys.begin > 0) lengths.push_back(keys.begin);
  const size_t skipped = lengths.size(); // prefixes before the window
  for (int end = keys.begin + tile; end < keys.end; end += tile) lengths.push_back(end);
  lengths.push_back(keys.end);

  const KeyPrefixes prefixes = oracle().key_prefixes(problem, tensors, row, head, lengths);
  const AttentionRows answer =
      oracle().exact(prefixes.problem, prefixes.tensors, prefixes.rows, OracleInput::dequantised);

  const auto dim = static_cast<size_t>(problem.value_columns());
  const auto heads = static_cast<size_t>(prefixes.problem.query_heads);
  const auto of_head = static_cast<size_t>(prefixes.head);
  const double full_lse = answer.lse[(lengths.size() - 1) * heads + of_head];
  // Sum of p_j v_j and of p_j over each prefix, p normalised by the whole row's denominator.
  std::vector<Vector> sums(1, Vector(dim, 0));
  Vector weights(1, 0);
  if (skipped > 0) sums.clear(), weights.clear();
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t place = i * heads + of_head;
    weights.push_back(std::exp(answer.lse[place] - full_lse));
    sums.emplace_back(dim);
    for (size_t d = 0; d < dim; ++d) sums.back()[d] = weights.back() * answer.output[place * dim + d];
  }
  KvTile best{keys.begin, tile, -1};
  for (size_t t = 0; t + 1 < sums.size(); ++t) {
    const Vector contribution = combine(sums[t + 1], -1, sums[t]);
    const Vector reweighted = combine(contribution, -(weights[t + 1] - weights[t]), sums.back());
    const Vector rest = combine(sums.back(), -1, sums[t]);
    const double cosine = std::max({absolute_cosine(error, contribution), absolute_cosine(error, reweighted),
                                    t > 0 ? absolute_cosine(error, rest) : 0.0});
    if (cosine > best.cosine) best = {keys.begin + static_cast<int>(t) * tile, tile, cosine};
  }
  best.keys = std::min(best.keys, keys.end - best.first_key);
  return best;
}

} // namespace fmha950::harness
