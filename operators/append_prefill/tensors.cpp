#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/paged/tensor_entries.hpp"

namespace fmha950::operators {
namespace {

template <Tensor AppendTensors::* Member> Tensor& own(Tensors& tensors) {
  return append_tensors(tensors).*Member;
}
template <auto Member>
constexpr DevicePlace own_place(bool (*needed)(const Problem&), unsigned (*alignment)(const Problem&)) {
  return place<[](DeviceTensors& device) -> auto& { return append_tensors(device).*Member; }>(needed,
                                                                                              alignment);
}

bool rotates(const Problem& problem) { return rotary_embedding(problem) != nullptr; }
bool rotates_queries(const Problem& problem) { return rotates(problem) && has_queries(problem); }

constexpr auto table = before_shared_entries({
    {"q", in<&Tensors::q>, always, place<&DeviceTensors::q>(has_queries, of_vectors)},
    {"k_new", own<&AppendTensors::k_new>, always,
     own_place<&DeviceAppendTensors::k_new>(has_queries, of_vectors)},
    {"v_new", own<&AppendTensors::v_new>, always,
     own_place<&DeviceAppendTensors::v_new>(has_queries, of_vectors)},
    {"k_cache", in<&Tensors::k_pool>, always, place<&DeviceTensors::k_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"v_cache", in<&Tensors::v_pool>, always, place<&DeviceTensors::v_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"k_scale", in<&Tensors::k_descale>, always, place<&DeviceTensors::k_descale>(has_keys, of_elements)},
    {"v_scale", in<&Tensors::v_descale>, always, place<&DeviceTensors::v_descale>(has_keys, of_elements)},
    {"positions", own<&AppendTensors::positions>, rotates,
     own_place<&DeviceAppendTensors::positions>(rotates_queries, of_elements)},
    {"cos_sin_cache", own<&AppendTensors::cos_sin_cache>, rotates,
     own_place<&DeviceAppendTensors::cos_sin_cache>(rotates_queries, of_vectors)},
    {.name = "call_cuts",
     .of = own<&AppendTensors::call_cuts>,
     .in_folder = optional}, // follow from the seed
});

} // namespace

constinit const std::span<const TensorEntry> append_table = table;

} // namespace fmha950::operators
