#include "harness/device/device_cache.hpp"

#include "harness/device/pool_upload.hpp"
#include "interface/operator.hpp"

namespace fmha950::harness {

DeviceCache::DeviceCache(const Problem& problem, const Tensors& host)
    : pages_(entries_to_upload(problem, host, store_of(problem, "k_cache"))), k_pool_(host.k_pool),
      v_pool_(host.v_pool), k_(k_pool_.bytes()), v_(v_pool_.bytes()) {
  // A GPU's memory holds anything. The embedded device's is zero, and stays sparse where nothing is written.
  if (!hip::runtime().embedded)
    for (hip::Buffer* pool : {&k_, &v_}) pool->fill(0);
  upload();
}

void DeviceCache::begin_call(const Tensors& host) {
  k_pool_ = host.k_pool;
  v_pool_ = host.v_pool;
  if (state_ == State::partly_written) upload();
  state_ = State::found_by_call;
}

void DeviceCache::before_run(bool whole) {
  if (state_ != State::found_by_call) upload();
  state_ = whole ? State::left_by_call : State::partly_written;
}

void DeviceCache::upload() {
  if (k_pool_.empty()) return;
  upload_pages(k_pool_, pages_, k_);
  upload_pages(v_pool_, pages_, v_);
}

std::shared_ptr<DeviceCache> cache_of_calls(const Problem& problem, const Tensors& host) {
  if (!problem.op->facts().appends) return nullptr;
  return std::make_shared<DeviceCache>(problem, host);
}

std::vector<std::byte> DeviceCache::download() const {
  std::vector<std::byte> bytes(k_.bytes() + v_.bytes());
  if (bytes.empty()) return bytes;
  k_.download(bytes.data(), k_.bytes());
  v_.download(bytes.data() + k_.bytes(), v_.bytes());
  return bytes;
}

} // namespace fmha950::harness
