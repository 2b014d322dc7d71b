#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/paged/tensor_entries.hpp"

namespace fmha950::operators {
namespace {

template <Tensor AppendTensors::* Member> Tensor& own(Tensors& tensors) {
  return append_tensors(tensors).*Member;
}
template <const void* DeviceAppendTensors::* Member> constexpr DevicePlace place_of_chunk() {
  return place<[](DeviceTensors& device) -> auto& { return append_tensors(device).*Member; }>(has_queries,
                                                                                              of_vectors);
}

constexpr auto table = before_shared_entries({
    {"q", in<&Tensors::q>, always, place<&DeviceTensors::q>(has_queries, of_vectors)},
    {"k_new", own<&AppendTensors::k_new>, always, place_of_chunk<&DeviceAppendTensors::k_new>()},
    {"v_new", own<&AppendTensors::v_new>, always, place_of_chunk<&DeviceAppendTensors::v_new>()},
    {"k_cache", in<&Tensors::k_pool>, always, place<&DeviceTensors::k_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"v_cache", in<&Tensors::v_pool>, always, place<&DeviceTensors::v_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"k_scale", in<&Tensors::k_descale>, always, place<&DeviceTensors::k_descale>(has_keys, of_elements)},
    {"v_scale", in<&Tensors::v_descale>, always, place<&DeviceTensors::v_descale>(has_keys, of_elements)},
    {.name = "call_cuts",
     .of = own<&AppendTensors::call_cuts>,
     .in_folder = optional}, // follow from the seed
});

} // namespace

constinit const std::span<const TensorEntry> append_table = table;

} // namespace fmha950::operators
