#pragma once
// What stands where nothing may be read: bytes that are NaN, and which unused parts of a pool hold them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fmha950::workload {

inline constexpr std::byte poison{0xff};           // NaN in bf16, fp16, fp32, fp8 and e8m0 alike
inline constexpr std::byte positive_fp8_nan{0x7f}; // e4m3fn's other NaN

// In fp8 both NaNs, by turns, so that every lane and byte of a register meets both.
constexpr std::byte fp8_poison(int64_t index) { return index % 2 != 0 ? positive_fp8_nan : poison; }

// Which of `total` pages or rows of `bytes` bytes are filled with poison, ascending: all that are not in
// `used` (ascending), or where those exceed 256 MiB the first and last of every range of them.
std::vector<int32_t> unused_to_poison(std::span<const int32_t> used, int64_t total, int64_t bytes);

} // namespace fmha950::workload
