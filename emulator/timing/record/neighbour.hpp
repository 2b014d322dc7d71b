#pragma once
// Who shares a CU with a workgroup. A sampled workgroup is replayed beside copies of itself, which take as long and do the same. But
// what they touch is theirs: of the lines of the original they share those alone that its neighbour on hardware touches, too.
// Workgroups over one KV head share K and V; requests in decoding share nothing, and a copy that found the original's lines in
// the caches would make their bytes half of what they are.

#include "emulator/timing/record/wave_record.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace fmha950::timing {

// Chiplets take workgroups in turn, and a chiplet's CUs, too: the next one on a CU is as many later as there are CUs. Of the last
// ones it is the one before. Nothing: the grid leaves a CU but one.
std::optional<uint64_t> neighbour_of(uint64_t workgroup, uint64_t grid_workgroups);

// These, ascending, with their neighbours.
std::vector<uint32_t> with_neighbours(const std::vector<uint32_t>& workgroups, uint64_t grid_workgroups);

// The lines of vector memory that both touch, ascending.
std::vector<uint64_t> lines_of_both(const WorkgroupRecord& one, const WorkgroupRecord& other);

// Copy `number`, from 1, whose lines are others but for those that are shared. WorkgroupRecord::shared must be there.
WorkgroupRecord copy_beside(const WorkgroupRecord& original, uint64_t number);

// Where in memory a copy's line lies: where the original's does.
constexpr int copy_shift = 56;
constexpr uint64_t line_in_memory(uint64_t line) { return line & ((uint64_t{1} << copy_shift) - 1); }

} // namespace fmha950::timing
