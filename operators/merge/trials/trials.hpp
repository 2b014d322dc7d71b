#pragma once
// What the harness tries of merge: families of probes, one function each, in files by what they vary; and of defects.

#include "harness/probe/probe.hpp"
#include "harness/sabotage/defect.hpp"

namespace fmha950::harness {

std::vector<Probe> merge_counts();  // of parts, around those whose loads are under way together
std::vector<Probe> merge_rows();    // that leave lanes, waves and workgroups without some
std::vector<Probe> merge_columns(); // of every number of lanes that share a row
std::vector<Probe> merge_layouts(); // and bases
std::vector<Probe> merge_empty();   // parts, of some rows and of all
std::vector<Probe> merge_lses();    // far apart, large, rising and falling
std::vector<Probe> merge_weights(); // each part shows its own in the output

std::vector<Defect> wrong_merges(const SabotagedCase& of);

} // namespace fmha950::harness
