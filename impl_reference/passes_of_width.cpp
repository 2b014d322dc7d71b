// Compiled once per width, in a namespace of its own, as Eigen is.
#include "impl_reference/attention/append_gather.hpp"
#include "impl_reference/attention/attention.hpp"
#include "impl_reference/attention/list_gather.hpp"
#include "impl_reference/attention/paged_gather.hpp"
#include "impl_reference/audit/chunk.hpp"
#include "impl_reference/passes.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "numerics/formats.hpp"
#include "numerics/threads.hpp"

namespace fmha950::reference::FMHA950_SIMD {
namespace {

using namespace numerics;

constexpr ChunkSize attention_chunk_size{.scores = size_t{1} << 23};

template <class Use>
void with_gather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys hidden,
                 Use use) {
  switch (problem.op) {
  case Operator::batch_prefill: return use(PagedGather(problem, tensors, input, hidden));
  case Operator::append_prefill: return use(AppendGather(problem, tensors, input, hidden));
  case Operator::sparse_prefill: return use(ListGather(problem, tensors, input));
  }
}

template <class Scalar>
AttentionRows attention(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                        OracleInput input, const PRounding<Scalar>& rounding, HiddenKeys hidden = {}) {
  AttentionRows result;
  result.rows = rows;
  result.lse.resize(rows.size() * problem.query_heads);
  result.output.resize(result.lse.size() * problem.head_dim);
  const std::vector<Chunk> chunks = chunks_of(problem, rows, attention_chunk_size);
  with_gather(problem, tensors, input, hidden, [&](const auto& gather) {
    parallel_for(static_cast<int64_t>(chunks.size()),
                 [&](int64_t i) { attend<Scalar>(gather, chunks[i], rounding, result); });
  });
  return result;
}

AttentionRows exact(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                    OracleInput input, HiddenKeys hidden) {
  return attention<double>(problem, tensors, rows, input, {}, hidden);
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

// Operands enter the matrix products as they are stored: each is exact in its own format, scales included
// (E8M0) or applied outside (fp32). What is left to round is P and the output.
AttentionRows plain(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                    const ProbabilityRounding& rounding) {
  const PRounding<float> p{rounding.shift, rounding_to(rounding.type, "P type"), rounding.weighted,
                           rounding.unit_follows, rounding.sum_rounded};
  AttentionRows result = attention<float>(problem, tensors, rows, OracleInput::dequantised, p);
  const Round round = rounding_to(problem.output_type, "o");
  for (double& element : result.output) element = round(static_cast<float>(element));
  return result;
}

// Chunks [first, last), which one thread audits one after the other: they share their keys.
struct Run {
  size_t first, last, owner;
};

std::vector<Run> runs_of(const Problem& problem, const std::vector<Chunk>& chunks) {
  // Enough of them that no thread waits long for the last one.
  const size_t longest =
      std::max<size_t>(1, chunks.size() / (4 * std::max(1u, std::thread::hardware_concurrency())));
  std::vector<Run> runs;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const bool shares = i > 0 && share_keys(problem, chunks[i - 1].front(), chunks[i].front());
    if (shares && i - runs.back().first < longest)
      runs.back().last = i + 1;
    else
      runs.push_back({i, i + 1, runs.empty() ? 0 : runs.back().owner + !shares});
  }
  return runs;
}

// The chunks' groups, in order, whatever the threads did: sums of floating-point numbers depend on it.
template <class Gather>
AuditSums audit_of(const Gather& gather, const std::vector<Chunk>& chunks, const AuditInput& input) {
  AuditSums sums;
  sums.noise.resize(input.exact.lse.size());
  const std::vector<Run> runs = runs_of(gather.problem(), chunks);
  std::vector<QueryHead> owners;
  for (const Run& run : runs)
    if (run.owner == owners.size()) owners.push_back(chunks[run.first].front());
  std::vector<Vector<float>> scales(owners.size());
  parallel_for(static_cast<int64_t>(owners.size()), [&](int64_t i) {
    scales[i] = column_scale(gather, owners[i], gather.segments(owners[i]).back());
  });
  std::vector<AuditGroup> of_chunk(chunks.size());
  parallel_for(static_cast<int64_t>(runs.size()), [&](int64_t i) {
    const Run& run = runs[i];
    OwnerBlocks blocks(gather, owners[run.owner], scales[run.owner]);
    for (size_t c = run.first; c < run.last; ++c)
      of_chunk[c] = audit_chunk(blocks, chunks[c], input, sums.noise);
  });
  for (const Run& run : runs)
    for (size_t c = run.first; c < run.last; ++c)
      if (run.owner == sums.groups.size())
        sums.groups.push_back(std::move(of_chunk[c]));
      else
        add(sums.groups.back(), std::move(of_chunk[c]));
  return sums;
}

AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                const ProbabilityRounding& rounding, const AttentionRows& plain, const AttentionRows& got) {
  const AuditInput input{exact, plain, got, rounding};
  AuditSums sums;
  with_gather(problem, tensors, OracleInput::dequantised, {}, [&](const auto& gather) {
    sums = audit_of(gather, chunks_of(problem, exact.rows, audit_chunk_size), input);
  });
  return sums;
}

} // namespace

const Passes passes{exact, plain, audit};

} // namespace fmha950::reference::FMHA950_SIMD
