#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

#include <algorithm>

namespace fmha950 {
namespace {

struct Pointer { // to device memory
  const char* name;
  const void* pointer;
  bool required;
  uintptr_t alignment;
};

void check_pointers(std::span<const Pointer> pointers) {
  for (const Pointer& row : pointers) {
    const auto address = reinterpret_cast<uintptr_t>(row.pointer);
    if (row.required && address == 0)
      throw InvalidInput(row.name, "null", "must be a device pointer for this problem");
    if (address % row.alignment != 0)
      throw InvalidInput(row.name, fmt::format("{:#x}", address),
                         fmt::format("must be aligned to {} bytes", row.alignment));
  }
}

void check_page_stride(const Problem& problem, const char* name, int64_t stride) {
  if (stride == 0) return;
  const int64_t least = problem.page_elements(), step = 16 / element_bytes(problem.kv_type);
  if (!problem.strided)
    throw InvalidInput(name, fmt::format("{}", stride), "must be 0 (pages lie together) without strided=1");
  if (stride < least)
    throw InvalidInput(name, fmt::format("{}", stride),
                       fmt::format("must be at least {}, the elements of a page, or 0", least));
  if (stride % step != 0)
    throw InvalidInput(name, fmt::format("{}", stride),
                       fmt::format("must be a multiple of {} elements, 16 bytes", step));
}

// 16 bytes where kernels load or store whole vectors, the element's own size elsewhere.
void check_tables_and_outputs(const Problem& problem, const DeviceTensors& device) {
  const bool queries = problem.total_queries() > 0, keys = problem.max_key_length() > 0;
  const bool sglang = problem.page_table == PageTable::sglang;
  const Pointer table[] = {
      {"sink_logit", device.sink_logit, problem.sink_logit, 4},
      {"q_indptr", device.q_indptr, true, 4},
      {"kv_indptr", device.kv_indptr, sglang, 4},
      {"kv_page_indices", device.kv_page_indices, sglang && keys, 4},
      {"kv_last_page_lens", device.kv_last_page_lens, sglang, 4},
      {"block_table", device.block_table, !sglang && keys, 4},
      {"seqlen_k", device.seqlen_k, !sglang, 4},
      {"output", device.output, queries, 16},
      {"lse", device.lse, problem.lse && queries, 4},
  };
  check_pointers(table);
}

void check_paged(const Problem& problem, const DeviceTensors& device) {
  const bool queries = problem.total_queries() > 0, keys = problem.max_key_length() > 0;
  const bool scaled = problem.quantisation != Quantisation::none;
  const bool mx = problem.quantisation == Quantisation::mx;
  const Pointer table[] = {
      {"q", device.q, queries, 16},
      {"k_pool", device.k_pool, keys, 16},
      {"v_pool", device.v_pool, keys, 16},
      {"q_descale", device.q_descale, scaled && queries, mx ? 16u : 4u},
      {"k_descale", device.k_descale, scaled && keys, mx ? 16u : 4u},
      {"v_descale", device.v_descale, scaled && keys, mx && problem.page_size % 32 == 0 ? 16u : 4u},
  };
  check_pointers(table);
  check_tables_and_outputs(problem, device);
  check_page_stride(problem, "k_page_stride", device.k_page_stride);
  check_page_stride(problem, "v_page_stride", device.v_page_stride);
}

// The cache is written to where it is read.
void check_same(const char* name, const void* cache, const char* pool_name, const void* pool) {
  if (cache != pool)
    throw InvalidInput(name, fmt::format("{:#x}", reinterpret_cast<uintptr_t>(cache)),
                       fmt::format("must be {}, {:#x}", pool_name, reinterpret_cast<uintptr_t>(pool)));
}

void check_append(const Problem& problem, const DeviceTensors& device) {
  const bool queries = problem.total_queries() > 0, keys = problem.max_key_length() > 0;
  const Pointer table[] = {
      {"q", device.q, queries, 16},           {"k_new", device.k_new, queries, 16},
      {"v_new", device.v_new, queries, 16},   {"k_cache", device.k_cache, keys, 16},
      {"v_cache", device.v_cache, keys, 16},  {"k_scale", device.k_descale, keys, 4},
      {"v_scale", device.v_descale, keys, 4},
  };
  check_pointers(table);
  check_tables_and_outputs(problem, device);
  check_same("k_cache", device.k_cache, "k_pool", device.k_pool);
  check_same("v_cache", device.v_cache, "v_pool", device.v_pool);
  check_page_stride(problem, "k_page_stride", device.k_page_stride);
  check_page_stride(problem, "v_page_stride", device.v_page_stride);
}

bool any(const std::vector<int>& lengths) {
  return std::any_of(lengths.begin(), lengths.end(), [](int length) { return length > 0; });
}

void check_sparse(const Problem& problem, const DeviceTensors& device) {
  const DeviceSparseTensors& d = device.sparse;
  const SparseLists& lists = *problem.sparse;
  const bool given = lists.kind == ListKind::lengths, fp8 = problem.kv_type == ElementType::fp8;
  const bool pool = lists.pool_rows > 0 && (!given || any(lists.prefix_lengths));
  const bool chunk = lists.chunk_rows > 0 && (!given || any(lists.extend_lengths));
  const bool scaled = fp8 && problem.row_format == RowFormat::split;
  const Pointer table[] = {
      {"q.nope", d.q.nope, true, 16},
      {"q.rope", d.q.rope, fp8, 16},
      {"q.scale", d.q.scale, scaled, 16},
      {"pool.nope", d.pool.nope, pool, 16},
      {"pool.rope", d.pool.rope, pool && fp8, 16},
      {"pool.scale", d.pool.scale, pool && scaled, 16},
      {"chunk.nope", d.chunk.nope, chunk, 16},
      {"chunk.rope", d.chunk.rope, chunk && fp8, 16},
      {"chunk.scale", d.chunk.scale, chunk && scaled, 16},
      {"prefix_indptr", d.prefix_indptr, true, 4},
      {"prefix_indices", d.prefix_indices, pool, 4},
      {"extend_indptr", d.extend_indptr, true, 4},
      {"extend_indices", d.extend_indices, chunk, 4},
      {"sink_logit", device.sink_logit, problem.sink_logit, 4},
      {"output", device.output, true, 16},
      {"lse", device.lse, problem.lse, 4},
  };
  check_pointers(table);
}

} // namespace

void validate_device_tensors(const Problem& problem, const DeviceTensors& device) {
  switch (problem.op) {
  case Operator::batch_prefill: return check_paged(problem, device);
  case Operator::append_prefill: return check_append(problem, device);
  case Operator::sparse_prefill: return check_sparse(problem, device);
  }
}

} // namespace fmha950
