#pragma once
// The tensors of a case folder by their names in the manifest.

#include "interface/tensors.hpp"

#include <array>
#include <string_view>

namespace fmha950::workload {

inline constexpr int case_folder_version = 1;
inline constexpr std::string_view manifest_name = "manifest.json";

enum class Needed : uint8_t { always, sglang, vllm, optional };

struct TensorEntry {
  std::string_view name; // in the manifest, and of its file
  Tensor Tensors::* member;
  Needed needed;
};

inline constexpr std::array<TensorEntry, 16> tensor_entries{{
    {"q", &Tensors::q, Needed::always},
    {"k_pool", &Tensors::k_pool, Needed::always},
    {"v_pool", &Tensors::v_pool, Needed::always},
    {"q_descale", &Tensors::q_descale, Needed::optional},
    {"k_descale", &Tensors::k_descale, Needed::optional},
    {"v_descale", &Tensors::v_descale, Needed::optional},
    {"sink_logit", &Tensors::sink_logit, Needed::optional},
    {"q_indptr", &Tensors::q_indptr, Needed::optional}, // follows from the lengths
    {"kv_indptr", &Tensors::kv_indptr, Needed::sglang},
    {"kv_page_indices", &Tensors::kv_page_indices, Needed::sglang},
    {"kv_last_page_lens", &Tensors::kv_last_page_lens, Needed::sglang},
    {"block_table", &Tensors::block_table, Needed::vllm},
    {"seqlen_k", &Tensors::seqlen_k, Needed::vllm},
    {"q_original", &Tensors::q_original, Needed::optional},
    {"k_original", &Tensors::k_original, Needed::optional},
    {"v_original", &Tensors::v_original, Needed::optional},
}};

} // namespace fmha950::workload
