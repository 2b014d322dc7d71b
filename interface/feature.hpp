#pragma once
// One thing that a problem asks of an implementation.

#include <string>
#include <string_view>

namespace fmha950 {

struct Feature {
  std::string kind;  // of namespace feature
  std::string value; // "64"; empty where a problem has the kind or has it not
  std::string words; // as reasons name it: "head_dim 64"
};

// Kinds of features. One without a value is worded as it is named.
namespace feature {
inline constexpr std::string_view operation = "operator";
inline constexpr std::string_view kv_heads = "KV heads";                   // a number
inline constexpr std::string_view heads_per_kv_head = "heads per KV head"; // likewise
inline constexpr std::string_view types = "types"; // "fp8 with bf16": of Q, of K and V
inline constexpr std::string_view output = "output";
inline constexpr std::string_view head_dim = "head_dim";
inline constexpr std::string_view layout = "layout";
inline constexpr std::string_view tensor_descales = "descales per tensor";
inline constexpr std::string_view page_descales = "descales per page"; // the value is the page size
inline constexpr std::string_view mx = "MX quantisation";
inline constexpr std::string_view strided = "strided views of K and V";
inline constexpr std::string_view interleaved = "K and V interleaved in one pool";
inline constexpr std::string_view window = "a sliding window";
inline constexpr std::string_view sink_tokens = "attention-sink tokens";
inline constexpr std::string_view sink_logit = "a sink logit in the denominator";
inline constexpr std::string_view soft_cap = "a soft cap";
inline constexpr std::string_view causal = "a causal mask";
inline constexpr std::string_view tree = "a tree mask";
inline constexpr std::string_view lse = "LSE as an output";
inline constexpr std::string_view page_table = "page table";
inline constexpr std::string_view page_size = "page size";
inline constexpr std::string_view consecutive_pages = "consecutive pages (paged=0)";
inline constexpr std::string_view mode = "mode";
inline constexpr std::string_view batch_invariant = "bits that do not depend on the batch (deterministic=1)";
inline constexpr std::string_view calls = "calls";
inline constexpr std::string_view rotary = "rotary embedding";   // "half:64"
inline constexpr std::string_view parts = "parts";               // of merge: a number
inline constexpr std::string_view part_types = "types of parts"; // "fp32 to bf16"
inline constexpr std::string_view part_layout = "layout of parts";
inline constexpr std::string_view lse_base = "base of partial LSEs";
inline constexpr std::string_view row_format = "row format"; // of fp8 rows of sparse_prefill
} // namespace feature

} // namespace fmha950
