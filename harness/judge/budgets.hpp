#pragma once
// How much of a large problem is judged and run, unless the command line says.

namespace fmha950::harness {

inline constexpr double oracle_budget = 2e10; // FLOPs of the oracle that take a second or two on two cores
// FLOPs of tiles that the embedded device runs in some ten seconds.
inline constexpr double device_budget = 4e11;
inline constexpr int fewest_oracle_rows = 64;
inline constexpr int default_query_tiles = 4;
inline constexpr int fewest_sparse_tokens = 32; // that the judges need: a tile may be one token

} // namespace fmha950::harness
