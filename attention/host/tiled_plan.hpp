#pragma once
// A plan whose attention kernel has one workgroup for each tile of rows of a request and KV head.

#include "attention/host/launched_plan.hpp"
#include "attention/host/work_items.hpp"

#include <utility>
#include <vector>

namespace fmha950::attention {

class TiledPlan : public LaunchedPlan {
 public:
  int query_tile() const final;
  TileShape score_tile() const final { return shape_; }

 protected:
  // `costs`: about right for all kernels here, as they are modelled (docs/timing.md), but prepass's.
  TiledPlan(const Problem& problem, TileShape shape, const ItemCosts& costs = {})
      : problem_(problem), shape_(shape), costs_(costs) {}

  // One item for each workgroup, in their order.
  void set_work(std::vector<Work> work);
  // The same for kernels that read the problem's own page table, in the order for chiplets.
  void set_work_of_pages(const Tensors& host);

  const Problem& problem() const { return problem_; }
  TileShape shape() const { return shape_; }
  const std::vector<Work>& work() const { return work_; }
  const WorkItem* items() const { return items_.as<WorkItem>(); } // on the device
  size_t items_bytes() const { return items_.bytes(); }
  std::vector<uint32_t> tiles_of(const std::vector<QueryRow>& rows) const; // workgroups

  // Work items [first, end).
  struct ItemRange {
    size_t first, end;
  };

  // A launch with a workgroup for each work item.
  template <class Arguments>
  void add_tile_launch(hip::Kernel kernel, unsigned threads, const Arguments& arguments) {
    add_tile_launch(std::move(kernel), threads, arguments, {0, work_.size()});
  }
  // With one for each of these, which `arguments` point to the first of.
  template <class Arguments>
  void add_tile_launch(hip::Kernel kernel, unsigned threads, const Arguments& arguments, ItemRange of) {
    add_launch(
        std::move(kernel), {static_cast<unsigned>(of.end - of.first), 1, 1}, threads, arguments,
        [this, of](const std::vector<QueryRow>& rows) { return tiles_of(rows, of); }, costs(of));
  }

 private:
  std::vector<uint32_t> tiles_of(const std::vector<QueryRow>& rows,
                                 ItemRange of) const; // counted from `first`
  std::vector<uint32_t> costs(ItemRange of) const;    // relative_cost() of each workgroup's

  Problem problem_;
  TileShape shape_;
  ItemCosts costs_;
  std::vector<Work> work_;
  hip::Buffer items_;
};

} // namespace fmha950::attention
