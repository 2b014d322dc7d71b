#pragma once
// The grid of an attention kernel: one workgroup per tile of rows of a request and KV head, nothing for what
// is not there.

#include "attention/work_item.hpp"
#include "interface/oracle.hpp"
#include "interface/problem.hpp"

#include <span>
#include <vector>

namespace fmha950::attention {

struct TileShape {
  int rows; // queries times heads of a group, of one workgroup
  int keys;
};

struct Work {
  WorkItem item;
  int request;
};

MaskWindow mask_window(const Problem& problem);

// table_begin[r]: first entry of request r in the kernel's table of pages. Longest first, so that the last
// workgroups to start are the shortest.
std::vector<Work> make_work(const Problem& problem, std::span<const int32_t> table_begin, TileShape shape);

// Whether the work item computes any head of this query row.
bool computes(const Work& work, const QueryRow& row, int group, TileShape shape);

} // namespace fmha950::attention
