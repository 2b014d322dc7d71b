#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

namespace fmha950 {

void validate_tensors(const Problem& problem, const Tensors& tensors) {
  if (problem.op != Operator::batch_prefill)
    throw InvalidInput("operator", std::string(name_of(problem.op)),
                       "has no tensors yet, only batch_prefill has");
  validation::check_shapes(problem, tensors);
  validation::check_tables(problem, tensors);
  validation::check_descales(problem, tensors);
  validation::check_sink_logits(tensors);
}

namespace {

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

} // namespace

void validate_device_tensors(const Problem& problem, const DeviceTensors& device) {
  const bool queries = problem.total_queries() > 0, keys = problem.max_key_length() > 0;
  const bool scaled = problem.quantisation != Quantisation::none;
  const bool mx = problem.quantisation == Quantisation::mx;
  const bool sglang = problem.page_table == PageTable::sglang;
  struct Row {
    const char* name;
    const void* pointer;
    bool required;
    uintptr_t alignment;
  };
  // 16 bytes where kernels load whole vectors, the element's own size elsewhere.
  const Row table[] = {
      {"q", device.q, queries, 16},
      {"k_pool", device.k_pool, keys, 16},
      {"v_pool", device.v_pool, keys, 16},
      {"q_descale", device.q_descale, scaled && queries, mx ? 16u : 4u},
      {"k_descale", device.k_descale, scaled && keys, mx ? 16u : 4u},
      {"v_descale", device.v_descale, scaled && keys, mx && problem.page_size % 32 == 0 ? 16u : 4u},
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
  for (const Row& row : table) {
    const auto address = reinterpret_cast<uintptr_t>(row.pointer);
    if (row.required && address == 0)
      throw InvalidInput(row.name, "null", "must be a device pointer for this problem");
    if (address % row.alignment != 0)
      throw InvalidInput(row.name, fmt::format("{:#x}", address),
                         fmt::format("must be aligned to {} bytes", row.alignment));
  }
  check_page_stride(problem, "k_page_stride", device.k_page_stride);
  check_page_stride(problem, "v_page_stride", device.v_page_stride);
}

void validate(const Problem& problem, const Tensors& tensors, const DeviceTensors& device) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
  validate_device_tensors(problem, device);
}

} // namespace fmha950
