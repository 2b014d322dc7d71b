#pragma once
// What is drawn for a line of memory by its number alone: which channel it has, where it comes from, its tag in a search.

#include <cstdint>

namespace fmha950::timing {

// Of 2^32. Fibonacci hashing: lines at any distance differ.
inline uint64_t drawn_for(uint64_t line) { return line * 0x9E3779B97F4A7C15 >> 32; }

} // namespace fmha950::timing
