// The validator of sparse_prefill's lists and scales: tensors that are right, with some entries, lengths or
// types changed. It must refuse exactly what the rules of interface/sparse_lists.hpp and sparse_tensors.hpp,
// written once more below, refuse.
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::fuzz {
namespace {

using Ids = std::vector<int32_t>;

// One of the two lists of every token and the scales of its rows, free to be wrong.
struct Source {
  int rows = 0;
  std::vector<int> lengths; // as the problem says, for lists of kind `lengths`
  Ids indptr, ids;
  bool wrong_type = false;    // of the ids
  std::vector<float> scales;  // split: the first of each row
  std::vector<uint8_t> codes; // packed: the last of each row
};

struct Case {
  Problem problem;
  std::array<Source, 2> sources; // pool, chunk
};

int longest(ListKind kind, int rows) { return kind == ListKind::dense ? rows : (rows + 3) / 4; }

Source right_source(Choices& choices, int tokens, ListKind kind) {
  Source s;
  s.rows = choices.below(9);
  s.indptr = {0};
  for (int token = 0; token < tokens; ++token) {
    int length = kind == ListKind::dense ? s.rows : choices.below(longest(kind, s.rows) + 1);
    if (kind == ListKind::lengths) s.lengths.push_back(length = s.rows == 0 ? 0 : choices.below(12));
    for (int i = 0; i < length; ++i) s.ids.push_back(choices.below(s.rows));
    s.indptr.push_back(static_cast<int32_t>(s.ids.size()));
  }
  for (int i = choices.below(3); i > 0; --i) s.ids.push_back(static_cast<int32_t>(choices.word())); // padding
  s.scales.assign(static_cast<size_t>(s.rows), 0.25f);
  s.codes.assign(static_cast<size_t>(s.rows), 120);
  return s;
}

Case right_case(Choices& choices) {
  Case c;
  Problem& p = c.problem;
  p.op = sparse_prefill;
  p.query_heads = 16;
  p.head_dim = 512;
  p.scale = 0.5f;
  const int form = choices.below(3);
  p.query_type = p.kv_type = form == 0 ? ElementType::bf16 : ElementType::fp8;
  SparseLists& lists = p.own.emplace<SparseLists>();
  lists.format = form == 2 ? RowFormat::packed : RowFormat::split;
  lists.tokens = 1 + choices.below(4);
  lists.kind = choices.one_of({ListKind::sparse, ListKind::dense, ListKind::empty, ListKind::lengths});
  for (Source& source : c.sources) source = right_source(choices, lists.tokens, lists.kind);
  lists.pool_rows = c.sources[0].rows;
  lists.chunk_rows = c.sources[1].rows;
  lists.prefix_lengths = c.sources[0].lengths;
  lists.extend_lengths = c.sources[1].lengths;
  p.requests = {{lists.tokens, most_listed_rows(lists)}};
  return c;
}

void change(Case& c, Choices& choices) {
  Source& s = c.sources[choices.below(2)];
  Ids& ids = choices.flag() ? s.indptr : s.ids;
  const auto any = [&](auto& values) -> auto& {
    return values[choices.below(static_cast<int>(values.size()))];
  };
  switch (choices.below(7)) {
  case 0:
    if (!ids.empty()) any(ids) = static_cast<int32_t>(choices.word());
    break;
  case 1:
    if (!ids.empty()) {
      int32_t& entry = any(ids);
      entry = static_cast<int32_t>(static_cast<uint32_t>(entry) + choices.one_of({1u, ~0u}));
    }
    break;
  case 2: ids.push_back(static_cast<int32_t>(choices.word())); break;
  case 3:
    if (!ids.empty()) ids.pop_back();
    break;
  case 4: s.wrong_type = !s.wrong_type; break;
  case 5:
    if (s.rows > 0)
      any(s.scales) = choices.one_of({0.0f, -1.0f, NAN, INFINITY, 2.0f, 3.0f, 1e-45f, 0x1p127f});
    break;
  case 6:
    if (s.rows > 0) any(s.codes) = choices.byte();
  }
}

SparseRows rows_of(const Problem& p, int64_t count) {
  SparseRows rows;
  const bool fp8 = p.kv_type == ElementType::fp8, split = fp8 && row_format(p) == RowFormat::split;
  rows.nope = Tensor(p.kv_type, {count, split ? 448 : 512});
  if (fp8) rows.rope = Tensor(ElementType::bf16, {count, 64});
  if (split) {
    rows.scale = Tensor(ElementType::fp32, {count, 7});
    std::ranges::fill(rows.scale.as<float>(), 1.0f);
  }
  return rows;
}

SparseRows rows_of(const Problem& p, const Source& s) {
  SparseRows rows = rows_of(p, s.rows);
  for (int row = 0; row < s.rows; ++row) {
    if (!rows.scale.empty()) rows.scale.as<float>()[row * 7] = s.scales[static_cast<size_t>(row)];
    if (row_format(p) == RowFormat::packed)
      rows.nope.as<uint8_t>()[row * 512 + 461] = s.codes[static_cast<size_t>(row)];
  }
  return rows;
}

Tensor tensor_of(const Ids& values, bool wrong_type) {
  Tensor tensor(wrong_type ? ElementType::fp32 : ElementType::int32, {static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.as<int32_t>().begin());
  return tensor;
}

Tensors tensors_of(const Case& c) {
  Tensors tensors;
  SparseTensors& t = sparse_tensors(tensors);
  t.q = rows_of(c.problem, int64_t{sparse_lists(c.problem)->tokens} * c.problem.query_heads);
  t.pool = rows_of(c.problem, c.sources[0]);
  t.chunk = rows_of(c.problem, c.sources[1]);
  t.prefix_indptr = tensor_of(c.sources[0].indptr, false);
  t.prefix_indices = tensor_of(c.sources[0].ids, c.sources[0].wrong_type);
  t.extend_indptr = tensor_of(c.sources[1].indptr, false);
  t.extend_indices = tensor_of(c.sources[1].ids, c.sources[1].wrong_type);
  return tensors;
}

// The rules, for themselves.
bool is_power_of_two(float scale) {
  return std::isnormal(scale) && scale > 0 && scale == std::exp2(static_cast<float>(std::ilogb(scale)));
}

bool is_right(const Problem& p, const Source& s) {
  const SparseLists& lists = *sparse_lists(p);
  if (std::ssize(s.indptr) != lists.tokens + 1 || s.indptr[0] != 0) return false;
  for (int t = 0; t < lists.tokens; ++t) {
    const int64_t length = int64_t{s.indptr[t + 1]} - s.indptr[t];
    if (length < 0) return false;
    if (lists.kind == ListKind::lengths ? length != s.lengths[t] : length > longest(lists.kind, s.rows))
      return false;
    if (lists.kind == ListKind::dense && length != s.rows) return false;
  }
  const int32_t listed = s.indptr.back();
  if (listed == 0) return true;
  if (s.wrong_type || std::ssize(s.ids) < listed) return false;
  for (int32_t i = 0; i < listed; ++i) {
    const int32_t row = s.ids[i];
    if (row < 0 || row >= s.rows) return false;
    if (p.kv_type != ElementType::fp8) continue;
    if (row_format(p) == RowFormat::split ? !is_power_of_two(s.scales[row]) : s.codes[row] == 0xFF)
      return false;
  }
  return true;
}

void row_lists(Bytes input) {
  Choices choices(input);
  Case c = right_case(choices);
  while (!choices.empty()) change(c, choices);
  const Tensors tensors = tensors_of(c);
  const bool right = is_right(c.problem, c.sources[0]) && is_right(c.problem, c.sources[1]);
  validate_problem(c.problem);
  bool accepted = false;
  std::string refusal;
  try {
    validate_tensors(c.problem, tensors);
    accepted = true;
  } catch (const InvalidInput& error) {
    refusal = error.what();
  }
  ensure(accepted || !right, "lists that are right are refused: " + refusal);
  ensure(!accepted || right, "lists that are wrong are accepted");
  if (!accepted) return;
  for (int token = 0; token < sparse_lists(c.problem)->tokens; ++token) {
    const TokenLists lists(sparse_tensors(tensors), token);
    ensure(lists.size() <= c.problem.requests[0].key_length,
           "no token lists more rows than the problem says");
    for (int i = 0; i < lists.size(); ++i)
      ensure(lists[i].row >= 0 && lists[i].row < lists[i].of->rows(),
             "every listed row is one of its source");
  }
}

const Registration registration("row_lists", row_lists);

} // namespace
} // namespace fmha950::fuzz
