#pragma once
// One case on the device: its tensors, which are uploaded, poisoned and brought back, and its runs.

#include "harness/device/device_cache.hpp"
#include "harness/device/variation.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"
#include "interface/oracle.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fmha950::harness {

// Output and LSE of some query rows as the device holds them, in the rows' order: output [rows, Hq, D] of the
// problem's output type, LSE [rows, Hq] fp32 or empty.
struct RowOutputs {
  std::vector<std::byte> output, lse;
  bool operator==(const RowOutputs&) const = default;
};

std::string difference(const RowOutputs& a, const RowOutputs& b); // "12 output bytes, 3 LSE bytes"

// The same as numbers, with a mark on every element that still holds the poison.
struct RowValues {
  std::vector<double> output, lse;
  std::vector<uint8_t> output_untouched, lse_untouched;
};

// One case's tensors on the device: uploads the inputs, poisons the outputs, brings rows of them back.
class DeviceCase {
 public:
  // Pools lie as harness/device/pool_upload.hpp says: apart, or in one with interleaved=1 and strided=1. Only the written part
  // of large ones is uploaded. An operator that appends takes the cache of the calls before it, or has one of its own.
  DeviceCase(const Problem& problem, const Tensors& host, std::shared_ptr<DeviceCache> cache = nullptr);

  const DeviceTensors& tensors() const { return tensors_; }
  void poison(const std::vector<QueryRow>& rows);
  RowOutputs download(const std::vector<QueryRow>& rows) const;
  DeviceCache* cache() const { return cache_.get(); } // null where the operator does not append
  std::vector<std::byte> download_cache() const;      // likewise empty

 private:
  void use_cache(const Tensors& host);
  void upload_inputs(const Tensors& host);
  void upload_shared_pools(const Tensors& host);
  const void* upload(const Tensor& tensor);
  const void* keep(hip::Buffer buffer);
  size_t output_row_bytes() const;
  size_t lse_row_bytes() const;

  const Problem& problem_;
  std::vector<int64_t> first_row_; // of each request, in the ragged batch
  std::vector<hip::Buffer> inputs_;
  hip::Buffer output_, lse_;
  std::shared_ptr<DeviceCache> cache_;
  DeviceTensors tensors_;
};

RowValues decode(const Problem& problem, const RowOutputs& rows);

// What outputs hold before a launch, so that elements which a kernel never writes are found. A signalling
// NaN: arithmetic and conversions make quiet ones (IEEE 754-2019, 6.2.3), the harness fills what nobody reads
// with 0xFF bytes, and inputs that are read hold no NaN at all.
std::vector<std::byte> output_poison(ElementType type, size_t elements); // bf16, fp16 or fp32
bool is_output_poison(ElementType type, const std::byte* element);

struct RunOutputs {
  RowOutputs rows;
  // Wall time of enqueue and synchronise: on the embedded device its own speed, not the GPU's.
  double milliseconds = 0;
};

// One planned case on the device, run as often as there are variations.
class CaseRun {
 public:
  CaseRun(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
          std::shared_ptr<DeviceCache> cache = nullptr);
  const Plan& plan() const { return *plan_; }
  const DeviceCase& device() const { return device_; }
  // Poisons the outputs of `rows`, restores the cache, runs, and brings the outputs back. `restricted`: only
  // the workgroups that they depend on.
  RunOutputs run(const Variation& variation, const std::vector<QueryRow>& rows, bool restricted = false);

 private:
  DeviceCase device_;
  std::unique_ptr<Plan> plan_;
};

} // namespace fmha950::harness
