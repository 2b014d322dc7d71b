#include "emulator/timing/model/mall.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/record/line_hash.hpp"
#include "emulator/timing/record/neighbour.hpp"

#include <algorithm>
#include <numeric>

namespace fmha950::timing {

namespace {

constexpr double all = uint64_t{1} << 32;

uint64_t bytes_of(const machine::Extent& extent) { return extent.end - extent.begin; }

void sort_unique(std::vector<uint64_t>& lines) {
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
}

// What an L2 asks for, if each keeps what its workgroups use.
std::vector<std::vector<uint64_t>> requests_of(const KernelRecord& kernel, bool together) {
  std::vector<std::vector<uint64_t>> requests;
  for (const WorkgroupRecord& workgroup : kernel.workgroups) {
    if (requests.empty() || !together) requests.emplace_back();
    for_each_vector_line(workgroup, [&](uint64_t line) { requests.back().push_back(line); });
  }
  std::ranges::for_each(requests, sort_unique);
  return requests;
}

} // namespace

Mall::Mall(const KernelRecord& kernel, bool together, bool warm, uint64_t copies) : has_others_(warm) {
  const auto add = [](uint64_t sum, const machine::Extent& extent) { return sum + bytes_of(extent); };
  const uint64_t touched = std::accumulate(kernel.touched.begin(), kernel.touched.end(), uint64_t{0}, add);
  fits_ = touched * copies <= mall_bytes;
  if (warm && fits_) return;
  const auto requests = requests_of(kernel, together);
  for (const machine::Extent& extent : kernel.touched) {
    Part part{extent.begin / line_bytes, (extent.end + line_bytes - 1) / line_bytes};
    double asked = 0;
    for (const std::vector<uint64_t>& lines : requests)
      asked += static_cast<double>(std::ranges::lower_bound(lines, part.end) -
                                   std::ranges::lower_bound(lines, part.first));
    asked *= static_cast<double>(kernel.grid_workgroups) / static_cast<double>(kernel.workgroups.size());
    const double once = static_cast<double>(copies * (part.end - part.first));
    part.from_hbm = static_cast<uint64_t>(all * (asked > once ? once / asked : 1));
    parts_.push_back(part);
  }
}

bool Mall::has(uint64_t line) const {
  const uint64_t place = line_in_memory(line);
  const auto after = std::ranges::upper_bound(parts_, place, {}, &Part::first);
  if (after == parts_.begin() || place >= (after - 1)->end) return has_others_;
  return drawn_for(line) >= (after - 1)->from_hbm;
}

} // namespace fmha950::timing
