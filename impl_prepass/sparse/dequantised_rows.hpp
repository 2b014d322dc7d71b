#pragma once
// Rows of Q, of the pool or of the chunk as the attention kernel reads them, of 512 bf16: scratch that the
// dequantisation kernel fills.

#include "impl_prepass/sparse/kernel_arguments.hpp"
#include "impl_prepass/sparse/row_slots.hpp"
#include "interface/hip.hpp"
#include "interface/problem.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmha950::prepass::sparse {

class DequantisedRows {
 public:
  DequantisedRows(const DeviceSparseRows& source, RowSlots slots);

  const void* rows() const { return scratch_.get(); }
  const RowSlots& slots() const { return slots_; }
  // The lists that name slots, on the device: `given`, which name rows, where they are the same.
  const int32_t* indices(const int32_t* given) const;
  size_t bytes() const { return scratch_.bytes() + wanted_.bytes() + indices_.bytes(); }

  const RowsToDequantise& arguments() const { return arguments_; }
  uint32_t workgroups() const { return dequantise_workgroups(arguments_.count); }
  // The workgroups that write these slots, ascending. The slots may be in any order.
  static std::vector<uint32_t> workgroups_of(std::span<const int32_t> slots);

 private:
  RowSlots slots_;
  hip::Buffer scratch_, wanted_, indices_;
  RowsToDequantise arguments_;
};

} // namespace fmha950::prepass::sparse
