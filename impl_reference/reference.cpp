// The oracle: all operators in float64, the plain low-precision implementation that limits are computed from,
// and append_prefill's cache.
#include "emulator/numerics/formats.hpp"
#include "emulator/numerics/threads.hpp"
#include "impl_reference/append_gather.hpp"
#include "impl_reference/appended_cache.hpp"
#include "impl_reference/attention.hpp"
#include "impl_reference/list_gather.hpp"
#include "impl_reference/paged_gather.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::reference {
namespace {

using namespace numerics;

using Chunk = std::vector<QueryHead>; // rows that are computed together

// As many rows as share a gathered block of K and V with profit, fewer where their scores would not fit
// memory.
size_t chunk_rows(int keys) {
  constexpr size_t most = 256, fewest = 8, scores = size_t(8) << 20;
  return std::clamp(scores / static_cast<size_t>(std::max(keys, 1)), fewest, most);
}

void require_row(const Problem& problem, const QueryRow& row) {
  const int requests = static_cast<int>(problem.requests.size());
  if (row.request < 0 || row.request >= requests)
    throw InvalidInput("row's request", fmt::format("{}", row.request),
                       fmt::format("must be 0 to {}", requests - 1));
  const int queries = problem.requests[row.request].query_length;
  if (row.query < 0 || row.query >= queries)
    throw InvalidInput(fmt::format("row's query of request {}", row.request), fmt::format("{}", row.query),
                       fmt::format("must be 0 to {}", queries - 1));
}

// Rows with the same result stand for the same keys: those of a request, or in sparse_prefill, where every
// token has lists of its own, those of a token.
QueryRow owner_of_keys(const Problem& problem, const QueryRow& row) {
  return problem.op == Operator::sparse_prefill ? row : QueryRow{row.request, 0};
}

std::vector<Chunk> chunks_of(const Problem& problem, const std::vector<QueryRow>& rows) {
  std::map<std::pair<int, int>, std::vector<size_t>> by_place; // in the order of request and query
  for (size_t r = 0; r < rows.size(); ++r) {
    require_row(problem, rows[r]);
    by_place[{rows[r].request, rows[r].query}].push_back(r);
  }
  const int group = problem.query_heads / problem.kv_heads;
  std::vector<Chunk> chunks;
  for (int kv_head = 0; kv_head < problem.kv_heads; ++kv_head) {
    QueryRow owner{-1, 0};
    for (const auto& [place, indices] : by_place)
      for (size_t r : indices)
        for (int head = kv_head * group; head < (kv_head + 1) * group; ++head) {
          const size_t most = chunk_rows(problem.requests[place.first].key_length);
          const QueryRow own = owner_of_keys(problem, rows[r]);
          if (own != owner || chunks.back().size() >= most) chunks.emplace_back();
          owner = own;
          chunks.back().push_back({rows[r], head, r * problem.query_heads + head});
        }
  }
  return chunks;
}

template <class Scalar>
AttentionRows attention(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                        OracleInput input, const PRounding<Scalar>& rounding) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
  AttentionRows result;
  result.rows = rows;
  result.lse.resize(rows.size() * problem.query_heads);
  result.output.resize(result.lse.size() * problem.head_dim);
  const std::vector<Chunk> chunks = chunks_of(problem, rows);
  const auto attend_all = [&](const auto& gather) {
    numerics::parallel_for(static_cast<int64_t>(chunks.size()),
                           [&](int64_t i) { attend<Scalar>(gather, chunks[i], rounding, result); });
  };
  switch (problem.op) {
  case Operator::batch_prefill: attend_all(PagedGather(problem, tensors, input)); break;
  case Operator::append_prefill: attend_all(AppendGather(problem, tensors, input)); break;
  case Operator::sparse_prefill: attend_all(ListGather(problem, tensors, input)); break;
  }
  return result;
}

float to_bf16(float x) { return f32_from_bf16(bf16_from_f32(x)); }
float to_fp16(float x) { return f32_from_f16(f16_from_f32(x)); }
float to_fp8(float x) { return f32_from_fp8(fp8_from_f32(x, true)); }
float to_fp32(float x) { return x; }

using Round = float (*)(float);

Round rounding_to(ElementType type, const char* what) {
  switch (type) {
  case ElementType::bf16: return to_bf16;
  case ElementType::fp16: return to_fp16;
  case ElementType::fp8: return to_fp8;
  case ElementType::fp32: return to_fp32;
  case ElementType::e8m0:
  case ElementType::int32: break;
  }
  throw InvalidInput(what, std::string(name_of(type)), "must be bf16, fp16, fp8 or fp32");
}

class Reference : public Oracle {
 public:
  AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      OracleInput input) const override {
    return attention<double>(problem, tensors, rows, input, {});
  }

  // Operands enter the matrix products as they are stored: each is exact in its own format, scales included
  // (E8M0) or applied outside (fp32). What is left to round is P and the output, and in append_prefill what
  // is dequantised to enter a matrix product beside the unquantised chunk.
  AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                      PlainRounding rounding) const override {
    const PRounding<float> p{rounding.p_shift, rounding_to(rounding.p_type, "P type")};
    AttentionRows result = attention<float>(problem, tensors, rows, OracleInput::dequantised, p);
    const Round round = rounding_to(problem.output_type, "o");
    for (double& element : result.output) element = round(static_cast<float>(element));
    return result;
  }

  Cache cache_after(const Problem& problem, const Tensors& tensors) const override {
    validate_problem(problem);
    validate_tensors(problem, tensors);
    return appended_cache(problem, tensors);
  }
};

const RegisterOracle<Reference> registered;

} // namespace
} // namespace fmha950::reference
