#pragma once
// The entries of tables and of what else all operators with pages have, and the store that their pools are.

#include "interface/tensor_table.hpp"

#include <algorithm>
#include <array>

namespace fmha950::operators {

using namespace tensor_table;

extern const TensorStore pool_store; // the pools, and descales by page

inline bool sglang(const Problem& problem) { return problem.page_table == PageTable::sglang; }
inline bool vllm(const Problem& problem) { return problem.page_table == PageTable::vllm; }
inline bool sglang_keys(const Problem& problem) { return sglang(problem) && has_keys(problem); }
inline bool vllm_keys(const Problem& problem) { return vllm(problem) && has_keys(problem); }

inline constexpr TensorEntry shared_entries[] = {
    {"sink_logit", in<&Tensors::sink_logit>, optional,
     place<&DeviceTensors::sink_logit>(has_sink_logit, of_elements)},
    {"q_indptr", in<&Tensors::q_indptr>, optional, // follows from the lengths
     place<&DeviceTensors::q_indptr>(always, of_elements)},
    {"kv_indptr", in<&Tensors::kv_indptr>, sglang, place<&DeviceTensors::kv_indptr>(sglang, of_elements)},
    {"kv_page_indices", in<&Tensors::kv_page_indices>, sglang,
     place<&DeviceTensors::kv_page_indices>(sglang_keys, of_elements)},
    {"kv_last_page_lens", in<&Tensors::kv_last_page_lens>, sglang,
     place<&DeviceTensors::kv_last_page_lens>(sglang, of_elements)},
    {"block_table", in<&Tensors::block_table>, vllm,
     place<&DeviceTensors::block_table>(vllm_keys, of_elements)},
    {"seqlen_k", in<&Tensors::seqlen_k>, vllm, place<&DeviceTensors::seqlen_k>(vllm, of_elements)},
    {.name = "q_original",
     .of = in<&Tensors::q_original>,
     .in_folder = optional,
     .role = TensorRole::original},
    {.name = "k_original",
     .of = in<&Tensors::k_original>,
     .in_folder = optional,
     .role = TensorRole::original},
    {.name = "v_original",
     .of = in<&Tensors::v_original>,
     .in_folder = optional,
     .role = TensorRole::original},
};

template <size_t Count> constexpr auto before_shared_entries(const TensorEntry (&own)[Count]) {
  std::array<TensorEntry, Count + std::size(shared_entries)> all{};
  std::ranges::copy(shared_entries, std::ranges::copy(own, all.begin()).out);
  return all;
}

} // namespace fmha950::operators
