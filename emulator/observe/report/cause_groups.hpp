#pragma once
// Which reports share a cause, by the rules of finding.hpp.

#include "emulator/observe/report/report.hpp"

#include <span>

namespace fmha950::observe {

// What would order a pair, or none of these; several where a FLAT instruction owes both counters.
enum Lacks : unsigned { vm_wait = 1, lgkm_wait = 2, barrier = 4, wait_states = 8, something_else = 16 };
unsigned lacking(const Report& report);
std::string name_of_lacking(unsigned lacks, const Report& report); // "vmcnt"

// For each report the number of the first one of its cause.
std::vector<size_t> cause_groups(std::span<const Report> reports);

} // namespace fmha950::observe
