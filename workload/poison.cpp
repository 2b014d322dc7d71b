#include "workload/poison.hpp"

namespace fmha950::workload {
namespace {

constexpr int64_t poison_limit_bytes = int64_t{256} << 20;

} // namespace

std::vector<int32_t> unused_to_poison(std::span<const int32_t> used, int64_t total, int64_t bytes) {
  const bool all = (total - static_cast<int64_t>(used.size())) * bytes <= poison_limit_bytes;
  std::vector<int32_t> poisoned;
  int32_t begin = 0; // of the range before used[i]
  for (size_t i = 0; i <= used.size(); ++i) {
    const auto end = i < used.size() ? used[i] : static_cast<int32_t>(total);
    if (all)
      for (int32_t index = begin; index < end; ++index) poisoned.push_back(index);
    else if (begin < end) {
      poisoned.push_back(begin);
      if (begin + 1 < end) poisoned.push_back(end - 1);
    }
    begin = end + 1;
  }
  return poisoned;
}

} // namespace fmha950::workload
