#pragma once
// A probe as a subject: what a source mutant is killed by.

#include "harness/mutation/subject.hpp"
#include "harness/probe/probe.hpp"
#include "interface/implementation.hpp"

namespace fmha950::harness {

// Its one problem. Outputs are those of all rows; of several calls in one, as implementations see them. Kernels are those that
// load_kernel() gives at the first run, and after renew(). It has no single kernel: kernel() throws std::logic_error.
std::unique_ptr<Subject> probe_subject(const Implementation& implementation, Probe probe);

} // namespace fmha950::harness
