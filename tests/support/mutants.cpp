#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

namespace fmha950::test {

std::vector<harness::SourceMutant> mutants_of(const std::string& implementation) {
  auto mutants = harness::mutants_in(std::filesystem::path(MUTANTS) / implementation);
  REQUIRE(!mutants.empty());
  return mutants;
}

harness::SourceMutant mutant_named(const std::string& implementation, const std::string& name) {
  return harness::mutant_named(std::filesystem::path(MUTANTS) / implementation, name);
}

} // namespace fmha950::test
