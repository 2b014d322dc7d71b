#include "harness/device/device_case.hpp"

#include "harness/device/pool_upload.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>

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
  if (problem.op->facts().appends) use_cache(host);
  upload_inputs(host);
  // A batch without queries still has an output.
  const auto rows = static_cast<size_t>(std::max<int64_t>(row, 1));
  output_ = hip::Buffer(rows * output_row_bytes());
  tensors_.output = output_.get();
  if (problem.lse) {
    lse_ = hip::Buffer(rows * lse_row_bytes());
    tensors_.lse = lse_.as<float>();
  }
}

void DeviceCase::use_cache(const Tensors& host) {
  if (!cache_) cache_ = cache_of_calls(problem_, host);
  cache_->begin_call(host);
  tensors_.k_pool = tensors_.k_cache = cache_->k().get();
  tensors_.v_pool = tensors_.v_cache = cache_->v().get();
}

void DeviceCase::upload_shared_pools(const Tensors& host) {
  SharedPools pools =
      upload_shared(problem_, host, entries_to_upload(problem_, host, store_of(problem_, "k_pool")));
  if (const auto* const memory = static_cast<const std::byte*>(keep(std::move(pools.k.buffer)))) {
    tensors_.k_pool = memory + pools.k.begin;
    tensors_.v_pool = memory + pools.k.begin + pools.v_offset;
  }
  tensors_.k_page_stride = tensors_.v_page_stride = pools.page_stride;
}

// In the order of the operator's table.
void DeviceCase::upload_inputs(const Tensors& host) {
  Tensors handles = host; // entries name tensors that may be written to
  std::map<const TensorStore*, std::vector<int64_t>> uploaded;
  const auto of_store = [&](const TensorStore& store) -> const std::vector<int64_t>& {
    const auto [known, fresh] = uploaded.try_emplace(&store);
    if (fresh) known->second = entries_to_upload(problem_, host, store);
    return known->second;
  };
  for (const TensorEntry& entry : problem_.op->facts().tensors) {
    const Tensor& tensor = entry.of(handles);
    const bool shared = &tensor == &handles.sink_logit;
    if (entry.device.set == nullptr || entry.role == TensorRole::written || shared) continue;
    const bool is_pool = &tensor == &handles.k_pool || &tensor == &handles.v_pool;
    const bool shared_pool = is_pool && (problem_.strided || problem_.interleaved);
    if (shared_pool && &tensor == &handles.k_pool) upload_shared_pools(host);
    if (shared_pool) continue;
    if (host.pool_place && is_pool) {
      PlacedPool pool = upload_placed(tensor, of_store(*entry.store), *host.pool_place);
      entry.device.set(tensors_, static_cast<const std::byte*>(keep(std::move(pool.buffer))) + pool.begin);
      continue;
    }
    const bool in_part = entry.store != nullptr && is_part_of(host, *entry.store, tensor);
    entry.device.set(tensors_, in_part ? keep(upload_pages(tensor, of_store(*entry.store))) : upload(tensor));
  }
}

const void* DeviceCase::upload(const Tensor& tensor) {
  if (tensor.empty()) return nullptr;
  inputs_.emplace_back(tensor.bytes());
  inputs_.back().upload(tensor.data(), tensor.bytes());
  return inputs_.back().get();
}

const void* DeviceCase::keep(hip::Buffer buffer) { return inputs_.emplace_back(std::move(buffer)).get(); }

size_t DeviceCase::output_row_bytes() const {
  return static_cast<size_t>(problem_.query_heads) * static_cast<size_t>(problem_.value_columns()) *
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
    upload(output_, problem_.output_type, heads * static_cast<size_t>(problem_.value_columns()),
           output_row_bytes());
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

namespace {

uint32_t pattern(ElementType type) {
  switch (type) {
  case ElementType::bf16: return 0x7FA5;
  case ElementType::fp16: return 0x7DA5;
  default: return 0x7FA5A5A5; // fp32
  }
}

} // namespace

std::vector<std::byte> output_poison(ElementType type, size_t elements) {
  const uint32_t bits = pattern(type); // the host is little-endian, as the device is
  const auto size = static_cast<size_t>(element_bytes(type));
  std::vector<std::byte> bytes(elements * size);
  if (size == 2)
    std::fill_n(reinterpret_cast<uint16_t*>(bytes.data()), elements, static_cast<uint16_t>(bits));
  else
    std::fill_n(reinterpret_cast<uint32_t*>(bytes.data()), elements, bits);
  return bytes;
}

bool is_output_poison(ElementType type, const std::byte* element) {
  const uint32_t bits = pattern(type);
  return std::memcmp(element, &bits, static_cast<size_t>(element_bytes(type))) == 0;
}

CaseRun::CaseRun(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                 std::shared_ptr<DeviceCache> cache)
    : device_(problem, tensors, std::move(cache)),
      plan_(implementation.plan(problem, tensors, device_.tensors())) {}

RunOutputs CaseRun::run(const Variation& variation, const std::vector<QueryRow>& rows, bool restricted) {
  apply(variation);
  device_.poison(rows);
  if (DeviceCache* cache = device_.cache()) cache->before_run(!restricted);
  const auto begin = std::chrono::steady_clock::now();
  if (restricted)
    plan_->enqueue_restricted(nullptr, plan_->workgroups_for(rows));
  else
    plan_->enqueue(nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  const auto end = std::chrono::steady_clock::now();
  return {device_.download(rows), std::chrono::duration<double, std::milli>(end - begin).count()};
}

} // namespace fmha950::harness
