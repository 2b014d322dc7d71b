#pragma once
// One case's tensors on the device: uploads the inputs, poisons the outputs, brings rows of them back.

#include "interface/hip.hpp"
#include "interface/implementation.hpp"
#include "interface/oracle.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

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

class DeviceCase {
 public:
  // Pools as harness/device/pool_upload.hpp says: together, or with strided=1 interleaved; of large ones only
  // what was written.
  DeviceCase(const Problem& problem, const Tensors& host);

  const DeviceTensors& tensors() const { return tensors_; }
  void poison(const std::vector<QueryRow>& rows);
  RowOutputs download(const std::vector<QueryRow>& rows) const;
  // append_prefill writes to its pools: brings them back to what the host has, but for pages that were never
  // uploaded.
  void restore_cache();
  std::vector<std::byte> download_cache() const; // K's, then V's; empty but for append_prefill
  const hip::Buffer& k_cache() const { return k_cache_; }
  const hip::Buffer& v_cache() const { return v_cache_; }

 private:
  void upload_paged(const Tensors& host);
  void upload_append(const Tensors& host);
  void upload_tables(const Tensors& host);
  void upload_sparse(const SparseTensors& host);
  const int32_t* upload_ids(const Tensor& tensor);
  const void* upload(const Tensor& tensor);
  const void* keep(hip::Buffer buffer);
  size_t output_row_bytes() const;
  size_t lse_row_bytes() const;

  const Problem& problem_;
  std::vector<int64_t> first_row_; // of each request, in the ragged batch
  std::vector<hip::Buffer> inputs_;
  hip::Buffer output_, lse_;
  hip::Buffer k_cache_, v_cache_; // of append_prefill, from these
  Tensor k_pool_, v_pool_;
  std::vector<int64_t> cache_pages_;
  DeviceTensors tensors_;
};

RowValues decode(const Problem& problem, const RowOutputs& rows);

} // namespace fmha950::harness
