#include "operators/merge/definition.hpp"
#include "operators/merge/merge_tensors.hpp"

namespace fmha950::operators {
namespace {

using namespace tensor_table;

template <Tensor MergeTensors::* Member> Tensor& in_own(Tensors& tensors) {
  return merge_tensors(tensors).*Member;
}
template <auto Member> constexpr DevicePlace own_place(unsigned (*alignment)(const Problem&)) {
  return place<[](DeviceTensors& device) -> auto& { return merge_tensors(device).*Member; }>(has_queries,
                                                                                             alignment);
}

constexpr TensorEntry table[] = {
    {"partial_output", in_own<&MergeTensors::partial_output>, always,
     own_place<&DeviceMergeTensors::partial_output>(of_vectors)},
    {"partial_lse", in_own<&MergeTensors::partial_lse>, always,
     own_place<&DeviceMergeTensors::partial_lse>(of_elements)},
};

} // namespace

constinit const std::span<const TensorEntry> merge_tensor_entries = table;

} // namespace fmha950::operators
