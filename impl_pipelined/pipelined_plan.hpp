#pragma once
// A prepared problem: the prefill kernel, and where keys are split, the combine kernel.

#include "attention/host/tiled_plan.hpp"
#include "impl_pipelined/kernel_arguments.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::pipelined {

// What the products and P are made by.
enum class Path : uint8_t {
  f8f6f4,   // 32x32x64 instructions
  fp8,      // 32x32x16
  direct_p, // 32x32x64, and P by one conversion of a score (direct_softmax.hpp)
};

// The kernel that a supported problem runs on.
struct Variant {
  std::string code_object; // "pipelined_f8f6f4_blockscale"
  std::string kernel;      // "prefill_scattered_64_cap"
};
// Where the pools begin decides, too: no carry may happen in an address (attention/host/carry.hpp).
struct PoolPlaces {
  const void *k = nullptr, *v = nullptr;
  uint64_t bytes = 0;                // of either
  bool splits_a_page = false;        // a multiple of 4 GiB lies inside a page that is used
  bool splits_a_row_of_keys = false; // paged=0: a multiple of 4 GiB lies inside a request's keys
};
Variant variant_of(const Problem& problem, const PoolPlaces& pools, Path path);

class PipelinedPlan final : public attention::TiledPlan {
 public:
  // The inputs have been validated and are supported.
  PipelinedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device, Path path);

  std::string variant() const override;
  size_t workspace_bytes() const override;
  ProbabilityRounding probability_rounding() const override;
  std::vector<PartialWeight> partial_weights(const std::vector<QueryRow>& rows) const override;

 private:
  void plan_work(const Tensors& host);
  PrefillArguments prefill_arguments(const Tensors& host, const DeviceTensors& device) const;
  uint32_t plan_joining(std::vector<attention::Work>& parts); // returns the blocks of partial results
  void add_combine_launch(const DeviceTensors& device);
  uint32_t combine_workgroups() const;
  std::vector<uint32_t> joined_parts() const; // by each workgroup of the combine step
  std::vector<uint32_t> combine_workgroups_of(const std::vector<QueryRow>& rows) const;
  bool splits() const { return parts_ > 1; }

  Path path_;
  Variant variant_;
  size_t whole_ = 0; // so many work items share their keys with none; they stand before the others
  int parts_ = 1;    // the most of a tile's keys
  std::vector<CombineItem> joins_;
  hip::Buffer partial_output_, partial_lse_, join_items_;
};

} // namespace fmha950::pipelined
