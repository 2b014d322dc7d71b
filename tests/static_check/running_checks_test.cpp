// The check without running agrees with the running ones: on the corpus with its verdicts, on the kernels of hazard
// classes, and on the implementations' code objects, which run without a report.
#include "emulator/static_check/hazards.hpp"
#include "emulator/static_check/report.hpp"
#include "harness/mutation/corpus.hpp"
#include "tests/static_check/code_objects.hpp"
#include "tests/support/source_path.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <set>

using namespace fmha950;

namespace {

std::set<std::string> errors_of(const loader::Kernel& kernel) {
  std::set<std::string> kinds;
  for (const auto& finding : static_check::find_hazards(static_check::Code(kernel)))
    if (finding.severity == static_check::Severity::error) kinds.insert(finding.kind);
  return kinds;
}
bool is_judged(const std::string& hazard) {
  return hazard == "register_in_flight" || hazard == "wait_states";
}

} // namespace

TEST_CASE(
    "static check: the corpus has the errors of its verdicts, of the classes that are judged, and no other") {
  std::map<std::string, std::unique_ptr<loader::CodeObject>> objects;
  std::set<std::string> seen;
  for (const harness::CorpusKernel& kernel : harness::corpus()) {
    auto& object = objects[kernel.code_object];
    if (!object) object = test::load_code_object(kernel.code_object);
    CAPTURE(kernel.name, kernel.verdict);
    const auto errors = errors_of(*object->find_kernel(kernel.name));
    CHECK(errors == (is_judged(kernel.verdict) ? std::set{kernel.verdict} : std::set<std::string>()));
    seen.insert(errors.begin(), errors.end());
  }
  CHECK(seen == std::set<std::string>{"register_in_flight", "wait_states"});
}

TEST_CASE(
    "static check: of the hazard classes' kernels those that are judged are errors, their cures are none") {
  const auto object = test::load_code_object("hazard_kernels");
  for (const loader::Kernel& kernel : object->kernels()) {
    CAPTURE(kernel.name);
    const std::string hazard = kernel.name.substr(0, kernel.name.rfind('_'));
    const bool faulty = kernel.name.ends_with("_bad") && is_judged(hazard);
    CHECK(errors_of(kernel) == (faulty ? std::set{hazard} : std::set<std::string>()));
  }
}

TEST_CASE("static check: the implementations' code objects have no error", "[unsanitized]") {
  int objects = 0;
  for (const auto& page : std::filesystem::directory_iterator(source_path("data/mutants/ledger"))) {
    const std::string name = page.path().stem();
    if (!exists(test::code_object_path(name))) continue;
    const auto report = static_check::report(*test::load_code_object(name), "", static_check::Form::text);
    INFO(name << "\n" << (report.errors ? report.text : ""));
    CHECK(report.errors == 0);
    ++objects;
  }
  CHECK(objects >= 30);
}
