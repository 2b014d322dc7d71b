#include "operators/merge/trials/trials.hpp"

#include "harness/probe/families.hpp"

namespace fmha950::harness {
namespace {

// The quickest to find something first: a mutant is dropped at its first failure.
const RegisterProbes probes("merge",
                            {merge_weights, merge_lses, merge_empty, merge_counts, merge_rows, merge_layouts,
                             merge_columns},
                            "^merge_(counts|rows|columns)/");
const RegisterDefects defects("merge", {wrong_merges});

} // namespace
} // namespace fmha950::harness
