#include "operators/append_prefill/definition.hpp"
#include "operators/paged/tensor_entries.hpp"

namespace fmha950::operators {
namespace {

constexpr auto table = before_shared_entries({
    {"q", in<&Tensors::q>, always, place<&DeviceTensors::q>(has_queries, of_vectors)},
    {"k_new", in<&Tensors::k_new>, always, place<&DeviceTensors::k_new>(has_queries, of_vectors)},
    {"v_new", in<&Tensors::v_new>, always, place<&DeviceTensors::v_new>(has_queries, of_vectors)},
    {"k_cache", in<&Tensors::k_pool>, always, place<&DeviceTensors::k_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"v_cache", in<&Tensors::v_pool>, always, place<&DeviceTensors::v_cache>(has_keys, of_vectors),
     &pool_store, TensorRole::written},
    {"k_scale", in<&Tensors::k_descale>, always, place<&DeviceTensors::k_descale>(has_keys, of_elements)},
    {"v_scale", in<&Tensors::v_descale>, always, place<&DeviceTensors::v_descale>(has_keys, of_elements)},
    {.name = "call_cuts", .of = in<&Tensors::call_cuts>, .in_folder = optional}, // follow from the seed
});

} // namespace

constinit const std::span<const TensorEntry> append_tensors = table;

} // namespace fmha950::operators
