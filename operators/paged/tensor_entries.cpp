#include "operators/paged/tensor_entries.hpp"

namespace fmha950::operators {

constinit const TensorStore pool_store{
    .entries = [](const Tensors& tensors) { return tensors.pool_pages(); },
    .bytes = [](const Tensors& tensors) { return tensors.k_pool.bytes(); },
    .written = [](const Tensors& tensors) -> const std::vector<int32_t>& { return tensors.written_pages; },
    .named = touched_pages};

} // namespace fmha950::operators
