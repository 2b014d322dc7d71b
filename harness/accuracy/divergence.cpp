#include "harness/accuracy/divergence.hpp"

#include "interface/implementation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fmha950::harness {

namespace {

constexpr int smallest_tile = 64; // keys
constexpr int most_tiles = 64;    // longer rows have larger tiles

struct Keys {
  int begin = 0, end = 0; // that the row sees, sink tokens aside
};

Keys visible_keys(const Problem& problem, QueryRow row) {
  const Request& request = problem.requests[static_cast<size_t>(row.request)];
  const int own = request.key_length - request.query_length + row.query;
  Keys keys{0, request.key_length};
  if (problem.window) {
    keys.begin = static_cast<int>(std::max<int64_t>(0, int64_t{own} - problem.window->left));
    keys.end = static_cast<int>(std::min<int64_t>(keys.end, int64_t{own} + problem.window->right + 1));
  }
  if (problem.causal) keys.end = std::min(keys.end, own + 1);
  return keys;
}

int64_t ragged_row(const Problem& problem, QueryRow row) {
  int64_t first = 0;
  for (int r = 0; r < row.request; ++r) first += problem.requests[static_cast<size_t>(r)].query_length;
  return first + row.query;
}

Tensor repeat_row(const Tensor& source, int64_t row, int64_t count) {
  if (source.shape().size() < 2) return source; // empty, or one value for all rows
  std::vector<int64_t> shape = source.shape();
  const size_t row_bytes = source.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = count;
  Tensor repeated(source.type(), shape);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(repeated.data() + static_cast<size_t>(i) * row_bytes,
                source.data() + static_cast<size_t>(row) * row_bytes, row_bytes);
  return repeated;
}

Tensor int_tensor(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  Tensor tensor(ElementType::int32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<int32_t>().begin());
  return tensor;
}

// The same query row once per prefix of its request's keys, each as a request of its own without any mask:
// one call of the oracle gives all partial sums.
struct Prefixes {
  Problem problem;
  Tensors tensors;
};

Prefixes prefixes_of(const Problem& problem, const Tensors& tensors, QueryRow row,
                     const std::vector<int>& lengths) {
  const auto count = static_cast<int64_t>(lengths.size());
  const int64_t source_row = ragged_row(problem, row);
  Prefixes out{problem, tensors};
  Problem& p = out.problem;
  p.trace.reset();
  p.window.reset();
  p.causal = p.sink_logit = false;
  p.sink_tokens = 0;
  p.page_table = PageTable::vllm;
  p.paged = true; // the prefixes share their pages
  p.requests.clear();
  for (const int length : lengths) p.requests.push_back({1, length});
  const int pages = p.pages_of(p.requests.back());
  std::vector<int32_t> row_of_table, table, q_indptr{0};
  for (int page = 0; page < pages; ++page)
    row_of_table.push_back(page_of(problem, tensors, row.request, page * problem.page_size));
  for (int64_t i = 0; i < count; ++i) {
    table.insert(table.end(), row_of_table.begin(), row_of_table.end());
    q_indptr.push_back(static_cast<int32_t>(i + 1));
  }
  Tensors& t = out.tensors;
  t.q = repeat_row(tensors.q, source_row, count);
  t.q_descale = repeat_row(tensors.q_descale, source_row, count);
  t.q_indptr = int_tensor(q_indptr, {count + 1});
  t.block_table = int_tensor(table, {count, pages});
  t.seqlen_k = int_tensor(lengths, {count});
  t.kv_indptr = t.kv_page_indices = t.kv_last_page_lens = t.sink_logit = Tensor();
  t.q_original = t.k_original = t.v_original = Tensor();
  return out;
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
  const Keys keys = visible_keys(problem, row);
  const int tiles_of_64 = (keys.end - keys.begin + smallest_tile - 1) / smallest_tile;
  if (tiles_of_64 < 2) return std::nullopt;
  const int tile = smallest_tile * ((tiles_of_64 + most_tiles - 1) / most_tiles);
  std::vector<int> lengths;
  if (keys.begin > 0) lengths.push_back(keys.begin);
  const size_t skipped = lengths.size(); // prefixes before the window
  for (int end = keys.begin + tile; end < keys.end; end += tile) lengths.push_back(end);
  lengths.push_back(keys.end);

  const Prefixes prefixes = prefixes_of(problem, tensors, row, lengths);
  std::vector<QueryRow> rows;
  for (int i = 0; i < static_cast<int>(lengths.size()); ++i) rows.push_back({i, 0});
  const AttentionRows answer =
      oracle().exact(prefixes.problem, prefixes.tensors, rows, OracleInput::dequantised);

  const auto dim = static_cast<size_t>(problem.head_dim), heads = static_cast<size_t>(problem.query_heads);
  const double full_lse = answer.lse[(lengths.size() - 1) * heads + static_cast<size_t>(head)];
  // Sum of p_j v_j and of p_j over each prefix, p normalised by the whole row's denominator.
  std::vector<Vector> sums(1, Vector(dim, 0));
  Vector weights(1, 0);
  if (skipped > 0) sums.clear(), weights.clear();
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t place = i * heads + static_cast<size_t>(head);
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
