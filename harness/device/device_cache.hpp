#pragma once
// K's and V's cache of an operator that appends, on the device: pools that calls write to, one after the other. Between
// runs of the same call it is brought back; what a call has left there is what the next one finds.

#include "interface/hip.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <memory>
#include <vector>

namespace fmha950::harness {

class DeviceCache {
 public:
  // Uploads the pools as harness/device/pool_upload.hpp says; whatever is not uploaded is zero.
  DeviceCache(const Problem& problem, const Tensors& host);
  DeviceCache(const DeviceCache&) = delete;
  DeviceCache& operator=(const DeviceCache&) = delete;

  // `host` has the pools as the call must find them. They are uploaded only if the device cannot have them by
  // itself: where only a part of the call before was run.
  void begin_call(const Tensors& host);
  // Brings back what the call must find, if it has been written to since. `whole`: all workgroups will run.
  void before_run(bool whole);

  const hip::Buffer& k() const { return k_; }
  const hip::Buffer& v() const { return v_; }
  std::vector<std::byte> download() const; // K's, then V's

 private:
  enum class State { found_by_call, left_by_call, partly_written };
  void upload();

  std::vector<int64_t> pages_;
  Tensor k_pool_, v_pool_;
  hip::Buffer k_, v_;
  State state_ = State::found_by_call;
};

// For all calls of a problem; null where it does not append.
std::shared_ptr<DeviceCache> cache_of_calls(const Problem& problem, const Tensors& host);

} // namespace fmha950::harness
