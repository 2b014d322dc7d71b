#include "harness/device/pool_upload.hpp"

#include "interface/operator.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace fmha950::harness {

namespace {

constexpr size_t staging_bytes = size_t{16} << 20;
constexpr size_t gap_bytes = 48;
constexpr std::byte poison{0xFF}; // a NaN in every type of elements that has one

// Calls back with (first page, pages) for runs of consecutive pages, none longer than `most`.
void for_each_run(const std::vector<int64_t>& pages, size_t most,
                  const std::function<void(size_t, size_t)>& body) {
  for (size_t begin = 0; begin < pages.size();) {
    size_t end = begin + 1;
    while (end < pages.size() && end - begin < most && pages[end] == pages[end - 1] + 1) ++end;
    body(static_cast<size_t>(pages[begin]), end - begin);
    begin = end;
  }
}

size_t page_bytes(const Tensor& tensor) { return tensor.bytes() / static_cast<size_t>(tensor.shape()[0]); }

PlacedPool placed(size_t bytes, std::optional<PoolPlace> place) {
  if (!place) return {hip::Buffer(bytes)};
  PlacedPool pool = {hip::Buffer(bytes + place->line)};
  const uint64_t line_at = reinterpret_cast<uint64_t>(pool.buffer.get()) + place->before;
  pool.begin = (place->line - line_at % place->line) % place->line;
  return pool;
}

// Whether any byte of it is not zero.
bool holds_something(const Tensor& tensor, int64_t page) {
  const size_t bytes = page_bytes(tensor);
  const std::byte* first = tensor.data() + static_cast<size_t>(page) * bytes;
  return first[0] != std::byte{0} || std::memcmp(first, first + 1, bytes - 1) != 0;
}

} // namespace

bool is_part_of(const Tensors& host, const TensorStore& store, const Tensor& tensor) {
  return tensor.shape().size() > 1 && tensor.shape()[0] == store.entries(host);
}

const TensorStore& store_of(const Problem& problem, std::string_view tensor) {
  return *std::ranges::find(problem.op->facts().tensors, tensor, &TensorEntry::name)->store;
}

std::vector<int64_t> entries_to_upload(const Problem& problem, const Tensors& host, const TensorStore& store,
                                       size_t whole) {
  const int64_t total = store.entries(host);
  std::vector<int64_t> ids;
  if (store.bytes(host) <= whole) {
    for (int64_t id = 0; id < total; ++id) ids.push_back(id);
    return ids;
  }
  if (const auto& written = store.written(host); !written.empty()) return {written.begin(), written.end()};
  std::vector<bool> wanted(static_cast<size_t>(total));
  for (const int32_t id : store.named(problem, host)) wanted[static_cast<size_t>(id)] = true;
  Tensors handles = host; // entries name tensors that may be written to
  std::vector<const Tensor*> parts;
  for (const TensorEntry& entry : problem.op->facts().tensors)
    if (entry.store == &store && is_part_of(host, store, entry.of(handles)) && !entry.of(handles).empty())
      parts.push_back(&entry.of(handles));
  for (int64_t id = 0; id < total; ++id)
    if (wanted[static_cast<size_t>(id)] ||
        std::ranges::any_of(parts, [&](const Tensor* part) { return holds_something(*part, id); }))
      ids.push_back(id);
  return ids;
}

hip::Buffer upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages) {
  if (tensor.empty()) return {};
  hip::Buffer buffer(tensor.bytes());
  upload_pages(tensor, pages, buffer);
  return buffer;
}

void upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages, hip::Buffer& buffer,
                  size_t begin) {
  const size_t bytes = page_bytes(tensor);
  for_each_run(pages, pages.size(), [&](size_t first, size_t count) {
    buffer.upload(tensor.data() + first * bytes, count * bytes, begin + first * bytes);
  });
}

PlacedPool upload_placed(const Tensor& tensor, const std::vector<int64_t>& pages, PoolPlace place) {
  PlacedPool pool = placed(tensor.bytes(), place);
  upload_pages(tensor, pages, pool.buffer, pool.begin);
  return pool;
}

SharedPools upload_shared(const Problem& problem, const Tensors& host, const std::vector<int64_t>& pages) {
  const auto bytes = [&](int64_t elements) {
    return static_cast<size_t>(stored_bytes(problem.kv_type, elements));
  };
  const size_t k_bytes = bytes(problem.page_elements()), v_bytes = bytes(problem.value_page_elements());
  const size_t gap = problem.strided ? gap_bytes : 0, view = k_bytes + gap, stride = view + v_bytes + gap;
  SharedPools pools = {{}, view, static_cast<int64_t>(stride) * 8 / element_bits(problem.kv_type)};
  if (host.k_pool.empty()) return pools;
  pools.k = placed(static_cast<size_t>(host.pool_pages()) * stride, host.pool_place);
  std::vector<std::byte> staging;
  for_each_run(pages, std::max<size_t>(staging_bytes / stride, 1), [&](size_t first, size_t count) {
    staging.assign(count * stride, poison);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&staging[i * stride], host.k_pool.data() + (first + i) * k_bytes, k_bytes);
      std::memcpy(&staging[i * stride + view], host.v_pool.data() + (first + i) * v_bytes, v_bytes);
    }
    pools.k.buffer.upload(staging.data(), staging.size(), pools.k.begin + first * stride);
  });
  return pools;
}

} // namespace fmha950::harness
