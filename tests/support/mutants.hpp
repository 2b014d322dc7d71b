#pragma once
// The source mutants that the build made.

#include "harness/mutation/source_mutants.hpp"

namespace fmha950::test {

std::vector<harness::SourceMutant> mutants_of(const std::string& implementation);

// The first of that name: of several code objects that of the first in the list.
harness::SourceMutant mutant_named(const std::string& implementation, const std::string& name);

} // namespace fmha950::test
