#pragma once
// Kernel two's grid: one workgroup per 256 rows of a request and KV head, nothing for what is not there.

#include "impl_prepass/kernel_arguments.hpp"
#include "impl_prepass/kv_slots.hpp"
#include "interface/problem.hpp"

#include <vector>

namespace fmha950::prepass {

struct Work {
  WorkItem item;
  int request;
  int visible_keys; // 0 to this many keys are seen by some row of the tile
};

// Longest first, so that the last workgroups to start are the shortest.
std::vector<Work> make_work(const Problem& problem, const KvSlots& slots);

// Window of the mask as the kernel wants it: a - left <= key <= a + right.
struct MaskWindow {
  int left, right;
};
MaskWindow mask_window(const Problem& problem);

} // namespace fmha950::prepass
