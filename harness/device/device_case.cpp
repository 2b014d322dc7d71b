#include "harness/device/device_case.hpp"

#include "harness/device/output_poison.hpp"
#include "harness/device/pool_upload.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace fmha950::harness {

namespace {

// Consecutive rows of one request lie next to each other: calls back with (first index in rows, row count).
void for_each_run(const std::vector<QueryRow>& rows, const std::function<void(size_t, size_t)>& body) {
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin + 1;
    while (end < rows.size() && rows[end].request == rows[begin].request &&
           rows[end].query == rows[end - 1].query + 1)
      ++end;
    body(begin, end - begin);
    begin = end;
  }
}

void decode_into(ElementType type, const std::vector<std::byte>& bytes, std::vector<double>& values,
                 std::vector<uint8_t>& untouched) {
  const auto size = static_cast<size_t>(element_bytes(type));
  const size_t count = bytes.size() / size;
  Tensor tensor(type, {static_cast<int64_t>(count)});
  if (count > 0) std::memcpy(tensor.data(), bytes.data(), bytes.size());
  values.resize(count);
  untouched.resize(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = tensor.value(static_cast<int64_t>(i));
    untouched[i] = is_output_poison(type, bytes.data() + i * size);
  }
}

} // namespace

DeviceCase::DeviceCase(const Problem& problem, const Tensors& host, std::shared_ptr<DeviceCache> cache)
    : problem_(problem), cache_(std::move(cache)) {
  int64_t row = 0;
  for (const Request& request : problem.requests) {
    first_row_.push_back(row);
    row += request.query_length;
  }
  tensors_.sink_logit = static_cast<const float*>(upload(host.sink_logit));
  switch (problem.op) {
  case Operator::batch_prefill: upload_paged(host); break;
  case Operator::append_prefill: upload_append(host); break;
  case Operator::sparse_prefill: upload_sparse(host.sparse); break;
  }
  // A batch without queries still has an output.
  const auto rows = static_cast<size_t>(std::max<int64_t>(row, 1));
  output_ = hip::Buffer(rows * output_row_bytes());
  tensors_.output = output_.get();
  if (problem.lse) {
    lse_ = hip::Buffer(rows * lse_row_bytes());
    tensors_.lse = lse_.as<float>();
  }
}

void DeviceCase::upload_paged(const Tensors& host) {
  const std::vector<int64_t> pages = pages_to_upload(problem_, host);
  tensors_.q = upload(host.q);
  if (problem_.strided) {
    InterleavedPools pools = upload_interleaved(host, pages);
    tensors_.k_pool = keep(std::move(pools.buffer));
    tensors_.v_pool = static_cast<const std::byte*>(tensors_.k_pool) + pools.v_offset;
    tensors_.k_page_stride = tensors_.v_page_stride = pools.page_stride;
  } else {
    tensors_.k_pool = keep(upload_pages(host.k_pool, pages));
    tensors_.v_pool = keep(upload_pages(host.v_pool, pages));
  }
  tensors_.q_descale = upload(host.q_descale);
  const auto upload_descale = [&](const Tensor& descale) {
    return is_per_page(host, descale) ? keep(upload_pages(descale, pages)) : upload(descale);
  };
  tensors_.k_descale = upload_descale(host.k_descale);
  tensors_.v_descale = upload_descale(host.v_descale);
  upload_tables(host);
}

void DeviceCase::upload_append(const Tensors& host) {
  if (!cache_) cache_ = cache_of_calls(problem_, host);
  cache_->begin_call(host);
  tensors_.k_pool = tensors_.k_cache = cache_->k().get();
  tensors_.v_pool = tensors_.v_cache = cache_->v().get();
  tensors_.q = upload(host.q);
  tensors_.k_new = upload(host.k_new);
  tensors_.v_new = upload(host.v_new);
  tensors_.k_descale = upload(host.k_descale);
  tensors_.v_descale = upload(host.v_descale);
  upload_tables(host);
}

void DeviceCase::upload_tables(const Tensors& host) {
  tensors_.q_indptr = upload_ids(host.q_indptr);
  tensors_.kv_indptr = upload_ids(host.kv_indptr);
  tensors_.kv_page_indices = upload_ids(host.kv_page_indices);
  tensors_.kv_last_page_lens = upload_ids(host.kv_last_page_lens);
  tensors_.block_table = upload_ids(host.block_table);
  tensors_.seqlen_k = upload_ids(host.seqlen_k);
}

void DeviceCase::upload_sparse(const SparseTensors& host) {
  const auto rows = [&](const SparseRows& source, const std::vector<int64_t>& written) {
    return DeviceSparseRows{keep(upload_pages(source.nope, written)),
                            keep(upload_pages(source.rope, written)),
                            static_cast<const float*>(keep(upload_pages(source.scale, written)))};
  };
  std::vector<int64_t> query_rows(static_cast<size_t>(host.q.rows()));
  std::iota(query_rows.begin(), query_rows.end(), 0);
  tensors_.sparse.q = rows(host.q, query_rows);
  tensors_.sparse.pool = rows(host.pool, rows_to_upload(host.pool, host.prefix_indptr, host.prefix_indices));
  tensors_.sparse.chunk =
      rows(host.chunk, rows_to_upload(host.chunk, host.extend_indptr, host.extend_indices));
  tensors_.sparse.prefix_indptr = upload_ids(host.prefix_indptr);
  tensors_.sparse.prefix_indices = upload_ids(host.prefix_indices);
  tensors_.sparse.extend_indptr = upload_ids(host.extend_indptr);
  tensors_.sparse.extend_indices = upload_ids(host.extend_indices);
}

const int32_t* DeviceCase::upload_ids(const Tensor& tensor) {
  return static_cast<const int32_t*>(upload(tensor));
}

const void* DeviceCase::upload(const Tensor& tensor) {
  if (tensor.empty()) return nullptr;
  inputs_.emplace_back(tensor.bytes());
  inputs_.back().upload(tensor.data(), tensor.bytes());
  return inputs_.back().get();
}

const void* DeviceCase::keep(hip::Buffer buffer) { return inputs_.emplace_back(std::move(buffer)).get(); }

size_t DeviceCase::output_row_bytes() const {
  return static_cast<size_t>(problem_.query_heads) * static_cast<size_t>(problem_.head_dim) *
         static_cast<size_t>(element_bytes(problem_.output_type));
}

size_t DeviceCase::lse_row_bytes() const { return static_cast<size_t>(problem_.query_heads) * sizeof(float); }

void DeviceCase::poison(const std::vector<QueryRow>& rows) {
  for_each_run(rows, [&](size_t begin, size_t count) {
    const auto row =
        static_cast<size_t>(first_row_[static_cast<size_t>(rows[begin].request)] + rows[begin].query);
    const auto heads = count * static_cast<size_t>(problem_.query_heads);
    const auto upload = [&](hip::Buffer& to, ElementType type, size_t elements, size_t row_bytes) {
      const std::vector<std::byte> poison = output_poison(type, elements);
      to.upload(poison.data(), poison.size(), row * row_bytes);
    };
    upload(output_, problem_.output_type, heads * static_cast<size_t>(problem_.head_dim), output_row_bytes());
    if (problem_.lse) upload(lse_, ElementType::fp32, heads, lse_row_bytes());
  });
}

std::vector<std::byte> DeviceCase::download_cache() const {
  return cache_ ? cache_->download() : std::vector<std::byte>{};
}

RowOutputs DeviceCase::download(const std::vector<QueryRow>& rows) const {
  RowOutputs out;
  out.output.resize(rows.size() * output_row_bytes());
  if (problem_.lse) out.lse.resize(rows.size() * lse_row_bytes());
  for_each_run(rows, [&](size_t begin, size_t count) {
    const auto row =
        static_cast<size_t>(first_row_[static_cast<size_t>(rows[begin].request)] + rows[begin].query);
    const auto fetch = [&](const hip::Buffer& from, std::vector<std::byte>& to, size_t row_bytes) {
      from.download(to.data() + begin * row_bytes, count * row_bytes, row * row_bytes);
    };
    fetch(output_, out.output, output_row_bytes());
    if (problem_.lse) fetch(lse_, out.lse, lse_row_bytes());
  });
  return out;
}

std::string difference(const RowOutputs& a, const RowOutputs& b) {
  const auto differing = [](const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
    size_t count = 0;
    for (size_t i = 0; i < x.size(); ++i) count += x[i] != y[i];
    return count;
  };
  return fmt::format("{} output bytes, {} LSE bytes", differing(a.output, b.output), differing(a.lse, b.lse));
}

RowValues decode(const Problem& problem, const RowOutputs& rows) {
  RowValues values;
  decode_into(problem.output_type, rows.output, values.output, values.output_untouched);
  decode_into(ElementType::fp32, rows.lse, values.lse, values.lse_untouched);
  return values;
}

} // namespace fmha950::harness
