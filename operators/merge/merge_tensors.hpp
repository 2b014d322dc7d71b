#pragma once
// The host-side values of a merge problem: n tokens, H heads, D columns, and of each token and head `parts` results of
// attention over disjoint keys. Shapes by layout (merge_form.hpp):
//
//   partial_output  parts, heads: [parts, n, H, D]; tokens: [n, parts, H, D]; the parts' type (kv_type)
//   partial_lse     parts: [parts, n, H]; tokens: [n, parts, H]; heads: [parts, H, n]; fp32, to the base of e or 2
//
// The merged output is the mean of the parts' outputs weighted by e^LSE, the merged LSE the logarithm of the sum of
// these weights.
//
// A part is empty where it saw no key: its LSE is -inf, or +inf, as FlashAttention 2 says it. It has no weight, and its
// output is not looked at: it may hold poison. A row whose parts are all empty is 0 with an LSE of -inf. An LSE that is
// NaN is refused where values are checked; a kernel that gets one makes all of that row NaN, and of no other.

#include "interface/own.hpp"
#include "operators/merge/merge_form.hpp"

#include <cmath>

namespace fmha950 {

struct MergeTensors {
  Tensor partial_output, partial_lse;
};

struct DeviceMergeTensors { // same shapes
  const void* partial_output = nullptr;
  const float* partial_lse = nullptr;
};

inline constexpr OwnTensors<MergeTensors, DeviceMergeTensors> merge_tensors; // of a problem's tensors

// From part to part, token to token and head to head: in rows of partial_output, or in numbers of partial_lse.
struct PartStrides {
  int64_t part = 0, token = 0, head = 0;
  int64_t at(int of_part, int of_token, int of_head) const {
    return of_part * part + of_token * token + of_head * head;
  }
};
PartStrides output_strides(const Problem& problem);
PartStrides lse_strides(const Problem& problem);
std::vector<int64_t> shape_of_outputs(const Problem& problem);
std::vector<int64_t> shape_of_lses(const Problem& problem);

inline bool is_empty_part(float lse) { return std::isinf(lse); }

} // namespace fmha950
