// A rotary embedding by the wrong angle, of the wrong columns, or of what has it already.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/operator.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/append_prefill/trials/trials.hpp"
#include "workload/quantise.hpp"

namespace fmha950::harness {

namespace {

using operators::rotated;

Defect of_all_rows(std::string kind, std::function<void(Problem&, Tensors&)> change) {
  return {.kind = std::move(kind), .place = "all rows", .inputs = std::move(change)};
}

void turn_back(Tensor& cos_sin, int angles) {
  cos_sin = copy_of(cos_sin);
  auto values = cos_sin.as<float>();
  for (size_t i = 0; i < values.size(); ++i)
    if (i % static_cast<size_t>(angles) >= static_cast<size_t>(angles) / 2) values[i] = -values[i];
}

// Rows from which the call's rotation makes what they are now: as if it left them as they are.
Tensor turned_back(const Problem& problem, const Tensors& tensors, const Tensor& rows) {
  Tensors back = tensors;
  turn_back(append_tensors(back).cos_sin_cache, rotary_embedding(problem)->rotated);
  return rotated(problem, back, rows);
}

void rotate_all_columns(Problem& problem, Tensors& tensors) {
  problem.own = RotaryEmbedding{rotary_embedding(problem)->pairs, problem.head_dim};
  const Tensor positions = append_tensors(tensors).positions;
  operators::make_rotary_tensors(problem, tensors);
  append_tensors(tensors).positions = positions;
}

void rotate_old_tokens(Problem& problem, Tensors& tensors) {
  const RotaryEmbedding& embedding = *rotary_embedding(problem);
  const auto angles = append_tensors(tensors).cos_sin_cache.as<float>();
  const auto count = static_cast<size_t>(embedding.rotated);
  Tensor& pool = tensors.k_pool;
  pool = copy_of(pool);
  std::vector<float> row(static_cast<size_t>(problem.head_dim));
  const int old = old_tokens(problem, problem.requests[0]);
  for (int token = 0; token < old; ++token)
    for (int head = 0; head < problem.kv_heads; ++head) {
      const int64_t first =
          k_index(problem, page_of(problem, tensors, 0, token), token % problem.page_size, head, 0);
      for (size_t column = 0; column < row.size(); ++column)
        row[column] = pool.value(first + static_cast<int64_t>(column));
      operators::rotate(embedding, problem.query_type,
                        angles.subspan(static_cast<size_t>(token) * count, count), row);
      for (size_t column = 0; column < row.size(); ++column)
        workload::store(pool, first + static_cast<int64_t>(column), row[column]);
    }
}

} // namespace

std::vector<Defect> wrong_rotations(const SabotagedCase& of) {
  std::vector<Defect> defects;
  const RotaryEmbedding* const embedding = rotary_embedding(of.problem);
  if (embedding == nullptr || of.problem.total_queries() == 0) return defects;
  const auto rows = static_cast<int32_t>(append_tensors(of.tensors).cos_sin_cache.shape()[0]);
  if (rows > 1)
    defects.push_back(of_all_rows("rope_position_off_by_one", [=](Problem&, Tensors& tensors) {
      Tensor& positions = append_tensors(tensors).positions;
      positions = copy_of(positions);
      for (int32_t& position : positions.as<int32_t>()) position = (position + 1) % rows;
    }));
  if (embedding->rotated > 2)
    defects.push_back(of_all_rows("rope_pairs_of_other_kind", [](Problem& problem, Tensors&) {
      RotaryEmbedding other = *rotary_embedding(problem);
      other.pairs = other.pairs == RotaryPairs::half ? RotaryPairs::interleaved : RotaryPairs::half;
      problem.own = other;
    }));
  defects.push_back(of_all_rows("rope_sine_negated", [](Problem& problem, Tensors& tensors) {
    turn_back(append_tensors(tensors).cos_sin_cache, rotary_embedding(problem)->rotated);
  }));
  defects.push_back(of_all_rows("rope_of_v", [](Problem& problem, Tensors& tensors) {
    Tensor& v_new = append_tensors(tensors).v_new;
    v_new = rotated(problem, tensors, v_new);
  }));
  defects.push_back(of_all_rows("rope_not_of_k", [](Problem& problem, Tensors& tensors) {
    Tensor& k_new = append_tensors(tensors).k_new;
    k_new = turned_back(problem, tensors, k_new);
  }));
  defects.push_back(of_all_rows("rope_not_of_q", [](Problem& problem, Tensors& tensors) {
    tensors.q = turned_back(problem, tensors, tensors.q);
  }));
  if (embedding->rotated < of.problem.head_dim)
    defects.push_back(of_all_rows("rope_of_all_columns", rotate_all_columns));
  if (old_tokens(of.problem, of.problem.requests[0]) > 1)
    defects.push_back({.kind = "rope_of_old_tokens", .place = "request 0", .inputs = rotate_old_tokens});
  return defects;
}

} // namespace fmha950::harness
