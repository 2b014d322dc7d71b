#pragma once
// The grid of an attention kernel: one workgroup per tile of rows of a request and KV head, nothing for what
// is not there.

#include "attention/work_item.hpp"
#include "interface/hip.hpp"
#include "interface/oracle.hpp"
#include "interface/problem.hpp"
#include "interface/tile_shape.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace fmha950::attention {

using fmha950::TileShape;

struct Work {
  WorkItem item;
  int request;
};

MaskWindow mask_window(const Problem& problem);

// table_begin[r]: first entry of request r in the kernel's table of pages. Longest first, so that the last
// workgroups to start are the shortest.
std::vector<Work> make_work(const Problem& problem, std::span<const int32_t> table_begin, TileShape shape);

// Whether the work item computes any head of this query row.
bool computes(const Work& work, const QueryRow& row, int heads_per_kv_head, TileShape shape);

// The workgroups of a grid of these work items that compute any head of the given rows.
std::vector<uint32_t> workgroups_of(const std::vector<Work>& work, const std::vector<QueryRow>& rows,
                                    int heads_per_kv_head, TileShape shape);

// What an item's parts cost, in hundredths of a tile of keys.
struct ItemCosts {
  int tile = 100;    // of keys
  int tile_rows = 0; // more where all waves have rows
  int mask = 30;     // of a tile in which not all pairs are seen
  int rows = 150;    // of all waves, for reading queries and writing results
};

// How long the item takes, up to a constant, for choosing workgroups that stand for others.
uint32_t relative_cost(const WorkItem& item, const Problem& problem, TileShape shape,
                       const ItemCosts& costs = {});

hip::Buffer upload_items(const std::vector<Work>& work);

// Rows of a request are numbered in 32 bits. Throws InvalidInput that names the implementation.
void check_row_numbers(const Problem& problem, std::string_view implementation);

} // namespace fmha950::attention
