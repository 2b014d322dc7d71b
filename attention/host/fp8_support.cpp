#include "attention/host/fp8_support.hpp"

#include "interface/names.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

#include <fmt/format.h>

namespace fmha950::attention {

Support fp8_support(const Problem& problem, const Fp8Kernels& kernels) {
  using enum ElementType;
  const bool sparse = problem.op == sparse_prefill && kernels.sparse_prefill;
  if (problem.op != batch_prefill && !sparse)
    return Support::no(fmt::format("operator {}: only batch_prefill{}", name_of(problem.op),
                                   kernels.sparse_prefill ? " and sparse_prefill" : ""));
  if (problem.query_type != fp8 || problem.kv_type != fp8)
    return Support::no(fmt::format("{} queries with {} keys: only fp8 with fp8", name_of(problem.query_type),
                                   name_of(problem.kv_type)));
  if (problem.output_type != bf16)
    return Support::no(fmt::format("{} output: only bf16", name_of(problem.output_type)));
  if (sparse) return {}; // all else that validation lets pass
  if (problem.head_dim != kernels.head_dim)
    return Support::no(fmt::format("head_dim {}: only {}", problem.head_dim, kernels.head_dim));
  if (problem.kv_layout != KvLayout::linear)
    return Support::no(fmt::format("{} layout: only linear", name_of(problem.kv_layout)));
  if (problem.quantisation == Quantisation::mx && !kernels.mx) return Support::no("MX quantisation");
  if (problem.quantisation == Quantisation::kv_blockscale && problem.page_size < kernels.keys_per_tile)
    return Support::no(fmt::format("descales per page with pages of {}: a tile of {} keys needs one descale",
                                   problem.page_size, kernels.keys_per_tile));
  if (problem.strided) return Support::no("strided views of K and V");
  if (problem.window) return Support::no("a sliding window");
  if (problem.sink_tokens != 0) return Support::no("attention-sink tokens");
  if (problem.sink_logit) return Support::no("a sink logit in the denominator");
  if (problem.soft_cap != 0 && !kernels.soft_cap) return Support::no("a soft cap");
  return {};
}

} // namespace fmha950::attention
