#include "attention/host/tiled_plan.hpp"

#include "attention/host/chiplet_order.hpp"
#include "attention/host/page_table.hpp"

#include <algorithm>

namespace fmha950::attention {

int TiledPlan::query_tile() const { return std::max(1, shape_.rows / problem_.heads_per_kv_head()); }

void TiledPlan::set_work(std::vector<Work> work) {
  work_ = std::move(work);
  items_ = upload_items(work_);
}

void TiledPlan::set_work_of_pages(const Tensors& host) {
  set_work(order_for_chiplets(make_work(problem_, table_begins(problem_, host), shape_)));
}

std::vector<uint32_t> TiledPlan::tiles_of(const std::vector<QueryRow>& rows) const {
  return workgroups_of(work_, rows, problem_.heads_per_kv_head(), shape_);
}

std::vector<uint32_t> TiledPlan::tiles_of(const std::vector<QueryRow>& rows, ItemRange of) const {
  std::vector<uint32_t> workgroups;
  for (const uint32_t item : tiles_of(rows))
    if (item >= of.first && item < of.end) workgroups.push_back(item - static_cast<uint32_t>(of.first));
  return workgroups;
}

std::vector<uint32_t> TiledPlan::costs(ItemRange of) const {
  std::vector<uint32_t> costs;
  for (size_t i = of.first; i < of.end; ++i)
    costs.push_back(relative_cost(work_[i].item, problem_, shape_, costs_));
  return costs;
}

} // namespace fmha950::attention
