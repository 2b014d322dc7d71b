#include "impl_baseline/append/append_plan.hpp"

#include "attention/host/chiplet_order.hpp"
#include "attention/host/page_table.hpp"
#include "impl_baseline/baseline_plan.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::baseline::append {
namespace {

constexpr attention::TileShape tile_shape = {rows_per_tile, keys_per_tile};

} // namespace

Support supports(const Problem& problem) {
  if (problem.head_dim != 64 && problem.head_dim != 128)
    return Support::no(fmt::format("head_dim {}: only 64 or 128", problem.head_dim));
  if (problem.calls != 1) return Support::no(fmt::format("{} calls: one plan is one call", problem.calls));
  return {};
}

std::string code_object_of(const Problem& problem) {
  return fmt::format("append_{}_d{}", name_of(problem.query_type), problem.head_dim);
}

std::vector<std::string> kernels_of(Form form) {
  if (form == Form::fused) return {"append_attention"};
  return {"append_alone", "attention_alone"};
}

AppendPlan::AppendPlan(Form form, std::string_view implementation, const Problem& problem,
                       const Tensors& host, const DeviceTensors& device)
    : problem_(problem),
      variant_(code_object_of(problem) + (form == Form::fused ? "_fused" : "_two_launch")) {
  attention::check_row_numbers(problem, implementation);
  for (const std::string& kernel : kernels_of(form))
    kernels_.push_back(hip::load_kernel(code_object_of(problem), kernel));
  work_ = attention::order_for_chiplets(
      attention::make_work(problem, attention::table_begins(problem, host), tile_shape));
  work_items_ = attention::upload_items(work_);
  arguments_ = {
      // Keys and values are multiplied by their scales on the way to the products.
      .attention = attention_arguments(problem, device, work_items_.as<attention::WorkItem>(), 1, 1),
      .k_new = device.k_new,
      .v_new = device.v_new,
      .k_cache = device.k_cache,
      .v_cache = device.v_cache,
      .k_scale = tensor_descale(host.k_descale),
      .v_scale = tensor_descale(host.v_descale),
  };
}

int AppendPlan::query_tile() const { return std::max(1, rows_per_tile / attention::group_of(problem_)); }

TileShape AppendPlan::score_tile() const { return tile_shape; }

std::vector<LaunchWorkgroups> AppendPlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  const auto workgroups = attention::workgroups_of(work_, rows, attention::group_of(problem_), tile_shape);
  std::vector<LaunchWorkgroups> launches;
  for (const hip::Kernel& kernel : kernels_) launches.push_back({kernel.name, workgroups});
  return launches;
}

void AppendPlan::launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only) {
  for (size_t i = 0; i < kernels_.size(); ++i) {
    const auto* workgroups = only ? &only->at(i).workgroups : nullptr;
    if (work_.empty() || (workgroups && workgroups->empty())) continue;
    hip::launch(kernels_[i], {static_cast<unsigned>(work_.size()), 1, 1}, {threads, 1, 1}, &arguments_,
                sizeof arguments_, stream, workgroups);
  }
}

void AppendPlan::enqueue(hip::Stream stream) { launch(stream, nullptr); }

void AppendPlan::enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) {
  launch(stream, &only);
}

} // namespace fmha950::baseline::append
