// Compiled once per operator and width, in a namespace of its own, as Eigen is. FMHA950_GATHER is the header of the
// operator's gather, FMHA950_PASSES the name of what is made here.
#include "impl_reference/attention/attention.hpp"
#include "impl_reference/audit/chunk.hpp"
#include "impl_reference/passes.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "numerics/formats.hpp"
#include "numerics/threads.hpp"

#include FMHA950_GATHER

#include <memory>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

using namespace numerics;

constexpr ChunkSize attention_chunk_size{.scores = size_t{1} << 23};

template <class Scalar>
AttentionRows attention(const Problem& problem, const Tensors& tensors, const std::vector<QueryRow>& rows,
                        OracleInput input, const PRounding<Scalar>& rounding, HiddenKeys hidden = {}) {
  AttentionRows result;
  result.rows = rows;
  result.lse.resize(rows.size() * problem.query_heads);
  result.output.resize(result.lse.size() * problem.head_dim);
  const std::vector<Chunk> chunks = chunks_of(problem, rows, attention_chunk_size);
  const OperatorGather gather(problem, tensors, input, hidden);
  parallel_for(static_cast<int64_t>(chunks.size()),
               [&](int64_t i) { attend<Scalar>(gather, chunks[i], rounding, result); });
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

// The chunks' sums, added by owner in order, whatever the threads did: sums of floating-point numbers depend on it.
template <class Gather>
AuditSums audit_of(const Gather& gather, const std::vector<Chunk>& chunks, const AuditInput& input) {
  AuditSums sums;
  sums.noise.resize(input.exact.lse.size());
  const SharedKeysRule share_keys(gather.problem());
  std::vector<size_t> owner_of_chunk;
  std::vector<QueryHead> owners;
  for (const Chunk& chunk : chunks) {
    if (owners.empty() || !share_keys(owners.back(), chunk.front())) owners.push_back(chunk.front());
    owner_of_chunk.push_back(owners.size() - 1);
  }
  std::vector<std::unique_ptr<OwnerBlocks<Gather>>> blocks(owners.size());
  parallel_for(static_cast<int64_t>(owners.size()), [&](int64_t i) {
    const int keys = gather.segments(owners[i]).back();
    blocks[i] =
        std::make_unique<OwnerBlocks<Gather>>(gather, owners[i], column_scale(gather, owners[i], keys), keys);
  });
  // Chunks of an owner follow each other: few owners have blocks at a time.
  std::vector<std::atomic<int>> chunks_left(owners.size());
  for (const size_t owner : owner_of_chunk) ++chunks_left[owner];
  std::vector<AuditOwner> of_chunk(chunks.size());
  parallel_for(static_cast<int64_t>(chunks.size()), [&](int64_t i) {
    const size_t owner = owner_of_chunk[i];
    of_chunk[i] = audit_chunk(*blocks[owner], chunks[i], input, sums.noise);
    if (--chunks_left[owner] == 0) blocks[owner].reset();
  });
  for (size_t i = 0; i < chunks.size(); ++i)
    if (owner_of_chunk[i] == sums.owners.size())
      sums.owners.push_back(std::move(of_chunk[i]));
    else
      add(sums.owners.back(), std::move(of_chunk[i]));
  return sums;
}

AuditSums audit(const Problem& problem, const Tensors& tensors, const AttentionRows& exact,
                const ProbabilityRounding& rounding, const AttentionRows& plain, const AttentionRows& got) {
  const OperatorGather gather(problem, tensors, OracleInput::dequantised, {});
  return audit_of(gather, chunks_of(problem, exact.rows, audit_chunk_size), {exact, plain, got, rounding});
}

} // namespace

extern const Passes FMHA950_PASSES; // a constant of this file otherwise
const Passes FMHA950_PASSES{exact, plain, audit};

} // namespace fmha950::reference::FMHA950_SIMD
