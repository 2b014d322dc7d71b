#include "impl_fused/sparse/sparse_plan.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <utility>

namespace fmha950::fused::sparse {
namespace {

// As few as hold all heads of the problem.
int heads_of_workgroup(const Kernels& kernels, int heads) {
  int of_workgroup = heads_per_block;
  while (of_workgroup < heads && of_workgroup < kernels.most_heads) of_workgroup *= 2;
  return of_workgroup;
}

// The longest lists first: a long one that starts last would keep the device waiting alone.
std::vector<int32_t> longest_first(const SparseTensors& tensors) {
  const auto prefix = tensors.prefix_indptr.as<int32_t>(), extend = tensors.extend_indptr.as<int32_t>();
  const auto key = [&](int32_t token) {
    const int64_t length = int64_t{prefix[token + 1]} - prefix[token] + extend[token + 1] - extend[token];
    return std::pair(-length, token);
  };
  std::vector<int32_t> tokens(prefix.size() - 1);
  std::iota(tokens.begin(), tokens.end(), 0);
  std::ranges::sort(tokens, {}, key);
  return tokens;
}

Rows rows_of(const DeviceSparseRows& rows) {
  return {static_cast<const uint8_t*>(rows.nope), static_cast<const uint8_t*>(rows.rope), rows.scale};
}

int scale_exponent(const SparseRows& rows, int64_t row, int block) {
  if (!rows.scale.empty())
    return std::ilogb(
        rows.scale.as<float>()[row * fmha950::sparse::nope_columns / fmha950::sparse::split_block + block]);
  return rows.nope.as<uint8_t>()[row * fmha950::sparse::head_dim + nope_columns + block] - 127;
}

// The kernels with P in fp8 keep what they accumulate in units of the largest P * scale,
// from least_unit (fp8_value_product.hpp).
void check_units(const SparseRows& rows, const std::vector<int32_t>& listed, const char* name) {
  constexpr int most = 60;
  const int blocks = rows.scale.empty() ? fmha950::sparse::nope_columns / fmha950::sparse::packed_block
                                        : fmha950::sparse::nope_columns / fmha950::sparse::split_block;
  for (const int32_t row : listed)
    for (int block = 0; block < blocks; ++block)
      if (const int exponent = scale_exponent(rows, row, block); std::abs(exponent) > most)
        throw InvalidInput(name, fmt::format("a scale of 2^{} in row {}", exponent, row),
                           fmt::format("fused_fp8_pv takes scales from 2^-{} to 2^{}", most, most));
}

} // namespace

SparsePlan::SparsePlan(const Kernels& kernels, const Problem& problem, const Tensors& host,
                       const DeviceTensors& device)
    : kernels_(kernels), heads_(heads_of_workgroup(kernels, problem.query_heads)),
      tokens_(longest_first(sparse_tensors(host))), device_tokens_(hip::uploaded(tokens_)) {
  if (kernels.probability_rounding.type == ElementType::fp8) {
    const SparseTensors& of = sparse_tensors(host);
    check_units(of.pool, listed_rows(of.prefix_indptr, of.prefix_indices), "pool");
    check_units(of.chunk, listed_rows(of.extend_indptr, of.extend_indices), "chunk");
  }
  const std::string kernel = fmt::format("sparse_{}_{}", name_of(row_format(problem)), heads_);
  variant_ = kernels.code_object + ('/' + kernel);
  const Arguments arguments = {
      .q = rows_of(sparse_tensors(device).q),
      .pool = rows_of(sparse_tensors(device).pool),
      .chunk = rows_of(sparse_tensors(device).chunk),
      .prefix_indptr = sparse_tensors(device).prefix_indptr,
      .prefix_indices = sparse_tensors(device).prefix_indices,
      .extend_indptr = sparse_tensors(device).extend_indptr,
      .extend_indices = sparse_tensors(device).extend_indices,
      .tokens = device_tokens_.as<int32_t>(),
      .sink_logit = device.sink_logit,
      .output = device.output,
      .lse = device.lse,
      .heads = static_cast<uint32_t>(problem.query_heads),
      .score_scale = static_cast<float>(double(problem.softmax_scale()) * std::numbers::log2e),
  };
  const auto heads = static_cast<unsigned>(heads_);
  const unsigned workgroups_per_token = (arguments.heads + heads - 1) / heads;
  add_launch(
      hip::load_kernel(kernels.code_object, kernel),
      {static_cast<unsigned>(tokens_.size()), workgroups_per_token, 1}, threads, arguments,
      [this, workgroups_per_token](const std::vector<QueryRow>& rows) {
        return workgroups_of(rows, workgroups_per_token);
      },
      keys_of_workgroups(sparse_tensors(host), tokens_, workgroups_per_token));
}

std::vector<uint32_t> SparsePlan::workgroups_of(const std::vector<QueryRow>& rows,
                                                unsigned workgroups_per_token) const {
  std::vector<uint32_t> place(tokens_.size()); // of a token
  for (size_t i = 0; i < tokens_.size(); ++i)
    place[static_cast<size_t>(tokens_[i])] = static_cast<uint32_t>(i);
  std::vector<uint32_t> workgroups;
  for (unsigned workgroup = 0; workgroup < workgroups_per_token; ++workgroup)
    for (const QueryRow& row : rows)
      workgroups.push_back(workgroup * static_cast<uint32_t>(tokens_.size()) +
                           place.at(static_cast<size_t>(row.query)));
  return workgroups;
}

} // namespace fmha950::fused::sparse
