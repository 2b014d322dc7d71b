#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace tensor_table;
using Rows = SparseRows SparseTensors::*;
using DeviceRows = DeviceSparseRows DeviceSparseTensors::*;

bool fp8_rows(const Problem& problem) { return problem.kv_type == ElementType::fp8; }
bool split(const Problem& problem) { return fp8_rows(problem) && row_format(problem) == RowFormat::split; }

bool any(const std::vector<int>& lengths) {
  return std::ranges::any_of(lengths, [](int length) { return length > 0; });
}
bool pool(const Problem& problem) {
  const SparseLists& lists = *sparse_lists(problem);
  return lists.pool_rows > 0 && (lists.kind != ListKind::lengths || any(lists.prefix_lengths));
}
bool chunk(const Problem& problem) {
  const SparseLists& lists = *sparse_lists(problem);
  return lists.chunk_rows > 0 && (lists.kind != ListKind::lengths || any(lists.extend_lengths));
}
bool fp8_pool(const Problem& problem) { return pool(problem) && fp8_rows(problem); }
bool split_pool(const Problem& problem) { return pool(problem) && split(problem); }
bool fp8_chunk(const Problem& problem) { return chunk(problem) && fp8_rows(problem); }
bool split_chunk(const Problem& problem) { return chunk(problem) && split(problem); }

template <Rows Of> size_t row_bytes(const Tensors& tensors) {
  const SparseRows& rows = sparse_tensors(tensors).*Of;
  return rows.nope.bytes() + rows.rope.bytes() + rows.scale.bytes();
}
template <Rows Of> int64_t row_count(const Tensors& tensors) { return (sparse_tensors(tensors).*Of).rows(); }
template <Rows Of> const std::vector<int32_t>& written_rows(const Tensors& tensors) {
  return (sparse_tensors(tensors).*Of).written;
}
std::vector<int32_t> prefix_rows(const Problem&, const Tensors& tensors) {
  const SparseTensors& t = sparse_tensors(tensors);
  return listed_rows(t.prefix_indptr, t.prefix_indices);
}
std::vector<int32_t> extend_rows(const Problem&, const Tensors& tensors) {
  const SparseTensors& t = sparse_tensors(tensors);
  return listed_rows(t.extend_indptr, t.extend_indices);
}
template <Rows Of>
constexpr TensorStore store_of(std::vector<int32_t> (*named)(const Problem&, const Tensors&)) {
  return {row_count<Of>, row_bytes<Of>, written_rows<Of>, named};
}
constexpr TensorStore pool_rows = store_of<&SparseTensors::pool>(prefix_rows),
                      chunk_rows = store_of<&SparseTensors::chunk>(extend_rows);

template <Rows Of, Tensor SparseRows::* Member> Tensor& in_rows(Tensors& tensors) {
  return sparse_tensors(tensors).*Of.*Member;
}
template <Tensor SparseTensors::* Member> Tensor& in_lists(Tensors& tensors) {
  return sparse_tensors(tensors).*Member;
}
template <DeviceRows Of, auto Member> constexpr DevicePlace rows_place(bool (*needed)(const Problem&)) {
  return place<[](DeviceTensors& device) -> auto& { return sparse_tensors(device).*Of.*Member; }>(needed,
                                                                                                  of_vectors);
}
template <auto Member> constexpr DevicePlace list_place(bool (*needed)(const Problem&)) {
  return place<[](DeviceTensors& device) -> auto& { return sparse_tensors(device).*Member; }>(needed,
                                                                                              of_elements);
}

// nope, rope, scale and original of Q, the pool or the chunk.
template <Rows Of, DeviceRows At> struct RowEntries {
  static constexpr TensorEntry nope(std::string_view name, std::string_view field,
                                    bool (*needed)(const Problem&), const TensorStore* store) {
    return {name,   in_rows<Of, &SparseRows::nope>,
            always, rows_place<At, &DeviceSparseRows::nope>(needed),
            store,  TensorRole::input,
            field};
  }
  static constexpr TensorEntry rope(std::string_view name, std::string_view field,
                                    bool (*needed)(const Problem&), const TensorStore* store) {
    return {name,     in_rows<Of, &SparseRows::rope>,
            fp8_rows, rows_place<At, &DeviceSparseRows::rope>(needed),
            store,    TensorRole::input,
            field};
  }
  static constexpr TensorEntry scale(std::string_view name, std::string_view field,
                                     bool (*needed)(const Problem&), const TensorStore* store) {
    return {name,  in_rows<Of, &SparseRows::scale>,
            split, rows_place<At, &DeviceSparseRows::scale>(needed),
            store, TensorRole::input,
            field};
  }
  static constexpr TensorEntry original(std::string_view name) {
    return {.name = name,
            .of = in_rows<Of, &SparseRows::original>,
            .in_folder = optional,
            .role = TensorRole::original};
  }
};
using Q = RowEntries<&SparseTensors::q, &DeviceSparseTensors::q>;
using Pool = RowEntries<&SparseTensors::pool, &DeviceSparseTensors::pool>;
using Chunk = RowEntries<&SparseTensors::chunk, &DeviceSparseTensors::chunk>;

constexpr TensorEntry table[] = {
    Q::nope("q_nope", "q.nope", always, nullptr),
    Q::rope("q_rope", "q.rope", fp8_rows, nullptr),
    Q::scale("q_scale", "q.scale", split, nullptr),
    Q::original("q_original"),
    Pool::nope("pool_nope", "pool.nope", pool, &pool_rows),
    Pool::rope("pool_rope", "pool.rope", fp8_pool, &pool_rows),
    Pool::scale("pool_scale", "pool.scale", split_pool, &pool_rows),
    Pool::original("pool_original"),
    Chunk::nope("chunk_nope", "chunk.nope", chunk, &chunk_rows),
    Chunk::rope("chunk_rope", "chunk.rope", fp8_chunk, &chunk_rows),
    Chunk::scale("chunk_scale", "chunk.scale", split_chunk, &chunk_rows),
    Chunk::original("chunk_original"),
    {"prefix_indptr", in_lists<&SparseTensors::prefix_indptr>, always,
     list_place<&DeviceSparseTensors::prefix_indptr>(always)},
    {"prefix_indices", in_lists<&SparseTensors::prefix_indices>, always,
     list_place<&DeviceSparseTensors::prefix_indices>(pool)},
    {"extend_indptr", in_lists<&SparseTensors::extend_indptr>, always,
     list_place<&DeviceSparseTensors::extend_indptr>(always)},
    {"extend_indices", in_lists<&SparseTensors::extend_indices>, always,
     list_place<&DeviceSparseTensors::extend_indices>(chunk)},
    {"sink_logit", in<&Tensors::sink_logit>, optional,
     place<&DeviceTensors::sink_logit>(has_sink_logit, of_elements)},
};

} // namespace

constinit const std::span<const TensorEntry> sparse_tensor_entries = table;

} // namespace fmha950::operators
