#pragma once
// Which query rows are judged: all of a small problem, a deterministic sample of a large one.

#include "interface/oracle.hpp"
#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::harness {

std::vector<QueryRow> all_rows(const Problem& problem);

// At most `count` of `rows`, in order: the last of each request, where page ids, offsets and lengths are
// largest (of some requests, if there are more than that), then the first of the rest, its last, and one from
// each of equal strides between them, placed by random numbers of `seed`. The same arguments give the same
// rows on every machine.
std::vector<QueryRow> sample_rows(const std::vector<QueryRow>& rows, size_t count, uint64_t seed);

int64_t tiles_of(const Problem& problem, int tile);

// All rows of `count` query tiles of `tile` rows each (tiles do not cross requests): the last tile of each
// request, those with the most keys first, and others as above.
std::vector<QueryRow> sample_tiles(const Problem& problem, int tile, size_t count);

// How much of a large problem is judged and run, unless the command line says; at least what OperatorFacts asks for.
inline constexpr double oracle_budget = 2e10; // FLOPs of the oracle that take a second or two on two cores
// FLOPs of tiles that the embedded device runs in some ten seconds.
inline constexpr double device_budget = 4e11;
inline constexpr int default_query_tiles = 4;

} // namespace fmha950::harness
