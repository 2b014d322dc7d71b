#include "operators/batch_prefill/definition.hpp"
#include "operators/paged/tensor_entries.hpp"

namespace fmha950::operators {
namespace {

bool scaled(const Problem& problem) { return problem.quantisation != Quantisation::none; }
bool scaled_queries(const Problem& problem) { return scaled(problem) && has_queries(problem); }
bool scaled_keys(const Problem& problem) { return scaled(problem) && has_keys(problem); }

// Kernels load vectors of E8M0 scales, and single fp32 descales.
unsigned of_descales(const Problem& problem) { return problem.quantisation == Quantisation::mx ? 16 : 4; }
unsigned of_value_descales(const Problem& problem) {
  return problem.quantisation == Quantisation::mx && problem.page_size % 32 == 0 ? 16 : 4;
}

bool has_tree(const Problem& problem) { return problem.tree_nodes > 0; }
bool has_tree_and_queries(const Problem& problem) { return has_tree(problem) && has_queries(problem); }
unsigned of_tree_rows(const Problem&) { return sizeof(uint64_t); }

constexpr auto table = before_shared_entries({
    {"q", in<&Tensors::q>, always, place<&DeviceTensors::q>(has_queries, of_vectors)},
    {"k_pool", in<&Tensors::k_pool>, always, place<&DeviceTensors::k_pool>(has_keys, of_vectors),
     &pool_store},
    {"v_pool", in<&Tensors::v_pool>, always, place<&DeviceTensors::v_pool>(has_keys, of_vectors),
     &pool_store},
    {"q_descale", in<&Tensors::q_descale>, optional,
     place<&DeviceTensors::q_descale>(scaled_queries, of_descales)},
    {"k_descale", in<&Tensors::k_descale>, optional,
     place<&DeviceTensors::k_descale>(scaled_keys, of_descales), &pool_store},
    {"v_descale", in<&Tensors::v_descale>, optional,
     place<&DeviceTensors::v_descale>(scaled_keys, of_value_descales), &pool_store},
    {"tree_mask", in<&Tensors::tree_mask>, has_tree,
     place<&DeviceTensors::tree_mask>(has_tree_and_queries, of_tree_rows)},
});

} // namespace

constinit const std::span<const TensorEntry> batch_tensors = table;

} // namespace fmha950::operators
