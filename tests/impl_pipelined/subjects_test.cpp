// No kernel of the implementation is left out of the subjects of ISA mutants, and every listed mutant is one.
#include "harness/mutation/subject.hpp"
#include "interface/hip.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/mutants.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace fmha950;

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  std::set<std::string> subjects;
  for (const auto& subject : harness::implementation_subjects()) subjects.insert(subject->name());
  const auto kernels = test::kernels_starting("pipelined_");
  for (const auto& [code_object, kernel] : kernels) {
    CAPTURE(code_object, kernel);
    CHECK(subjects.contains(code_object + "/" + kernel));
  }
  CHECK(kernels.size() == 20 + 1); // and the combine step
}

TEST_CASE("every mutant of the lists is another code object than the product's") {
  for (const std::string implementation : {"pipelined", "pipelined_x16"})
    for (const harness::SourceMutant& mutant : test::mutants_of(implementation)) {
      CAPTURE(mutant.code_object, mutant.name);
      CHECK_FALSE(std::ranges::equal(hip::code_object(mutant.code_object), harness::code_of(mutant)));
    }
}
