// What a call writes, its outputs and a cache that it appends to, may lie in no other tensor.
#include "interface/operator.hpp"
#include "interface/validate_detail.hpp"

#include <algorithm>

namespace fmha950::validation {
namespace {

struct Range {
  std::string_view name;
  const void* pointer;
  size_t bytes;

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(pointer); }
  uintptr_t end() const { return begin() + bytes; }
  bool overlaps(const Range& other) const {
    return pointer != nullptr && other.pointer != nullptr && begin() < other.end() && other.begin() < end();
  }
};

// Bytes from a tensor's first to its last: between the pages of one pool lie those of the other with interleaved=1.
size_t extent(const Problem& problem, const Tensors& tensors, const Tensor& tensor) {
  const bool interleaved =
      problem.interleaved && !tensor.empty() && (&tensor == &tensors.k_pool || &tensor == &tensors.v_pool);
  if (!interleaved) return tensor.bytes();
  return 2 * tensor.bytes() - tensor.bytes() / static_cast<size_t>(tensor.shape()[0]);
}

} // namespace

void check_overlap(const Problem& p, const Tensors& t, const DeviceTensors& d) {
  std::vector<Range> ranges; // those that are written stand first
  Tensors handles = t;       // entries name tensors that may be written to
  const auto add = [&](TensorRole role) {
    for (const TensorEntry& entry : p.op->facts().tensors)
      if (entry.device.get != nullptr && entry.role == role)
        ranges.push_back({entry.text(), entry.device.get(d), extent(p, handles, entry.of(handles))});
  };
  add(TensorRole::written);
  const size_t heads = static_cast<size_t>(p.total_queries()) * static_cast<size_t>(p.query_heads);
  ranges.push_back(
      {"output", d.output, heads * static_cast<size_t>(p.value_columns() * element_bytes(p.output_type))});
  ranges.push_back({"lse", d.lse, heads * sizeof(float)});
  const size_t written = ranges.size();
  add(TensorRole::input);
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = 0; j < std::min(i, written); ++j) // each pair once
      if (ranges[i].overlaps(ranges[j]))
        throw InvalidInput(std::string(ranges[i].name),
                           fmt::format("{:#x} to {:#x}", ranges[i].begin(), ranges[i].end()),
                           fmt::format("must not overlap {}, which the call writes ({:#x} to {:#x})",
                                       ranges[j].name, ranges[j].begin(), ranges[j].end()));
}

} // namespace fmha950::validation
