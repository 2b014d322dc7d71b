#include "workload/touched_bytes.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::workload {

Held held(double total, double used, double bytes) {
  const double unused = total - used;
  return {total, used, used + (unused * bytes <= poison_limit ? unused : std::min(unused, 2 * (used + 1)))};
}

double touched(const Held& pages, double count, double bytes) {
  constexpr double host_page = 4096;
  if (bytes == 0) return 0;
  const double beyond = std::fmod(bytes, host_page) == 0 ? 0 : 1.25 * host_page;
  return std::min(pages.total * bytes, count * bytes + (pages.used + 1) * beyond);
}

} // namespace fmha950::workload
