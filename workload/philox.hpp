#pragma once
// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC11, section 3.3. A value depends on its counter and the seed alone, so tensors do not depend on threads,
// page order or the order of generation.

#include <array>
#include <cstdint>

namespace fmha950::workload {

using PhiloxCounter = std::array<uint32_t, 4>;

constexpr PhiloxCounter philox(PhiloxCounter counter, uint64_t seed) {
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(product0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The centre of the bits' cell in (0, 1): never 0 or 1.
constexpr double uniform_from_bits(uint32_t bits) { return (bits + 0.5) * 0x1p-32; }

// Standard normal quantile: Wichura's PPND7, algorithm AS 241, Applied Statistics 37 (1988); about 7 digits.
double normal_quantile(double probability);

inline float normal_from_bits(uint32_t bits) {
  return static_cast<float>(normal_quantile(uniform_from_bits(bits)));
}

// What a counter is spent on; part of the counter, so that no two uses meet.
enum class Stream : uint32_t {
  query,
  key,
  value,
  channel,
  sink_logit,
  page_order,
  row_list,
  padding,
  append_call,
  tree
};

} // namespace fmha950::workload
