#include "attention/host/value_descales.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fmha950::attention {

constexpr int max_ratio = 100; // log2

void check_value_descales(const Problem& problem, const Tensors& host, std::string_view implementation) {
  const auto descales = host.v_descale.as<float>();
  float smallest = std::numeric_limits<float>::infinity(), largest = 0;
  for (const int32_t page : touched_pages(problem, host))
    for (int head = 0; head < problem.kv_heads; ++head) {
      const float descale = descales[static_cast<size_t>(page) * problem.kv_heads + head];
      smallest = std::min(smallest, descale);
      largest = std::max(largest, descale);
    }
  if (largest > 0 && std::log2(double(largest) / smallest) > max_ratio)
    throw InvalidInput(
        "v_descale", fmt::format("from {} to {}", smallest, largest),
        fmt::format("{} takes descales of pages up to a factor of 2^{} apart", implementation, max_ratio));
  if (largest > 0 && smallest < std::numeric_limits<float>::min())
    throw InvalidInput("v_descale", fmt::format("{}", smallest),
                       fmt::format("{} takes no subnormal descales of pages", implementation));
}

} // namespace fmha950::attention
