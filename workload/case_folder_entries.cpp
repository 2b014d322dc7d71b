#include "workload/case_folder_entries.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace fmha950::workload {
namespace {

bool always(const Problem&) { return true; }
bool optional(const Problem&) { return false; }
bool sglang(const Problem& problem) { return problem.page_table == PageTable::sglang; }
bool vllm(const Problem& problem) { return problem.page_table == PageTable::vllm; }
bool fp8(const Problem& problem) { return problem.kv_type == ElementType::fp8; }
bool split(const Problem& problem) { return fp8(problem) && problem.row_format == RowFormat::split; }

template <Tensor Tensors::* Member> Tensor& in(Tensors& tensors) { return tensors.*Member; }
template <Tensor SparseTensors::* Member> Tensor& in_sparse(Tensors& tensors) {
  return tensors.sparse.*Member;
}
template <SparseRows SparseTensors::* Rows, Tensor SparseRows::* Member> Tensor& in_rows(Tensors& tensors) {
  return tensors.sparse.*Rows.*Member;
}

constexpr TensorEntry of_pages[] = {
    {"sink_logit", in<&Tensors::sink_logit>, optional},
    {"q_indptr", in<&Tensors::q_indptr>, optional}, // follows from the lengths
    {"kv_indptr", in<&Tensors::kv_indptr>, sglang},
    {"kv_page_indices", in<&Tensors::kv_page_indices>, sglang},
    {"kv_last_page_lens", in<&Tensors::kv_last_page_lens>, sglang},
    {"block_table", in<&Tensors::block_table>, vllm},
    {"seqlen_k", in<&Tensors::seqlen_k>, vllm},
    {"q_original", in<&Tensors::q_original>, optional},
    {"k_original", in<&Tensors::k_original>, optional},
    {"v_original", in<&Tensors::v_original>, optional},
};
template <size_t Count> constexpr auto before_those_of_pages(const TensorEntry (&own)[Count]) {
  std::array<TensorEntry, Count + std::size(of_pages)> all{};
  std::ranges::copy(of_pages, std::ranges::copy(own, all.begin()).out);
  return all;
}

constexpr auto paged = before_those_of_pages({
    {"q", in<&Tensors::q>, always},
    {"k_pool", in<&Tensors::k_pool>, always},
    {"v_pool", in<&Tensors::v_pool>, always},
    {"q_descale", in<&Tensors::q_descale>, optional},
    {"k_descale", in<&Tensors::k_descale>, optional},
    {"v_descale", in<&Tensors::v_descale>, optional},
});

constexpr auto append = before_those_of_pages({
    {"q", in<&Tensors::q>, always},
    {"k_new", in<&Tensors::k_new>, always},
    {"v_new", in<&Tensors::v_new>, always},
    {"k_cache", in<&Tensors::k_pool>, always},
    {"v_cache", in<&Tensors::v_pool>, always},
    {"k_scale", in<&Tensors::k_descale>, always},
    {"v_scale", in<&Tensors::v_descale>, always},
    {"call_cuts", in<&Tensors::call_cuts>, optional}, // follow from the seed
});

constexpr TensorEntry sparse[] = {
    {"q_nope", in_rows<&SparseTensors::q, &SparseRows::nope>, always},
    {"q_rope", in_rows<&SparseTensors::q, &SparseRows::rope>, fp8},
    {"q_scale", in_rows<&SparseTensors::q, &SparseRows::scale>, split},
    {"q_original", in_rows<&SparseTensors::q, &SparseRows::original>, optional},
    {"pool_nope", in_rows<&SparseTensors::pool, &SparseRows::nope>, always},
    {"pool_rope", in_rows<&SparseTensors::pool, &SparseRows::rope>, fp8},
    {"pool_scale", in_rows<&SparseTensors::pool, &SparseRows::scale>, split},
    {"pool_original", in_rows<&SparseTensors::pool, &SparseRows::original>, optional},
    {"chunk_nope", in_rows<&SparseTensors::chunk, &SparseRows::nope>, always},
    {"chunk_rope", in_rows<&SparseTensors::chunk, &SparseRows::rope>, fp8},
    {"chunk_scale", in_rows<&SparseTensors::chunk, &SparseRows::scale>, split},
    {"chunk_original", in_rows<&SparseTensors::chunk, &SparseRows::original>, optional},
    {"prefix_indptr", in_sparse<&SparseTensors::prefix_indptr>, always},
    {"prefix_indices", in_sparse<&SparseTensors::prefix_indices>, always},
    {"extend_indptr", in_sparse<&SparseTensors::extend_indptr>, always},
    {"extend_indices", in_sparse<&SparseTensors::extend_indices>, always},
    {"sink_logit", in<&Tensors::sink_logit>, optional},
};

} // namespace

std::span<const TensorEntry> tensor_entries(Operator op) {
  switch (op) {
  case Operator::batch_prefill: break;
  case Operator::append_prefill: return append;
  case Operator::sparse_prefill: return sparse;
  }
  return paged;
}

} // namespace fmha950::workload
