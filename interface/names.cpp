#include "interface/names.hpp"

namespace fmha950 {
namespace {

constexpr std::string_view element_types[] = {"bf16", "fp16", "fp8", "e8m0", "fp32", "int32", "mxfp4"};
constexpr std::string_view page_tables[] = {"sglang", "vllm"};
constexpr std::string_view kv_layouts[] = {"linear", "vectorized", "hnd"};
constexpr std::string_view quantisations[] = {"none", "tensor", "page", "mx"};
constexpr std::string_view batch_modes[] = {"batch", "group"};
constexpr std::string_view page_orders[] = {"shuffled", "sequential", "lru"};

} // namespace

template <> std::span<const std::string_view> names_of<ElementType>() { return element_types; }
template <> std::span<const std::string_view> names_of<PageTable>() { return page_tables; }
template <> std::span<const std::string_view> names_of<KvLayout>() { return kv_layouts; }
template <> std::span<const std::string_view> names_of<Quantisation>() { return quantisations; }
template <> std::span<const std::string_view> names_of<BatchMode>() { return batch_modes; }
template <> std::span<const std::string_view> names_of<PageOrder>() { return page_orders; }

} // namespace fmha950
