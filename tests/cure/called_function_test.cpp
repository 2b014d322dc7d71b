// Faults in functions that a kernel calls: where their cures stand, and where there is none to be found.
#include "harness/cure/patched_kernels.hpp"
#include "interface/error.hpp"
#include "tests/cure/planted.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

// The only place of called functions with this text.
Place called_place(const hip::Kernel& kernel, const std::string& text) {
  std::vector<Place> found;
  for (const Place& place : all_places(kernel))
    if (!place.at.function.empty() && place.text == text) found.push_back(place);
  CAPTURE(text);
  REQUIRE(found.size() == 1);
  return found.front();
}

} // namespace

TEST_CASE("called function: a cure in it is one place, wherever it is called from") {
  PlantedPatient planted("planted_calls", "load_in_callee");
  const std::vector<CuredFinding> findings = planted.cures();
  REQUIRE(findings.size() == 1);
  const CuredFinding& finding = findings.front();
  CAPTURE(finding.cure.proof.objection, finding.option);
  REQUIRE(finding.cure.verdict == Cure::Verdict::cured);
  REQUIRE(finding.cure.protections.size() == 1);
  const Protection& wait = finding.cure.protections.front();
  CHECK(wait.vmcnt == 0);
  CHECK(wait.at.function.find("loaded_and_used") != std::string::npos);
  CHECK(finding.report.earlier_place.function == wait.at.function);
  CHECK(finding.cure.paths.gone >= 1); // the function's own code shows it
  CHECK(finding.cure.paths.is_new == 0);
  CHECK(finding.option.starts_with("load_in_callee_bad/" + wait.at.function + "+0x"));
  const std::string text = as_text(finding, 1, 1);
  CHECK(text.find("    " + wait.at.text() + " before: s_waitcnt vmcnt(0)") != std::string::npos);
  // Its file would lack the function.
  CHECK_THROWS_WITH(patched_kernels(findings, "never_written.s"),
                    Catch::Contains("changes a function that it calls, which the file would lack"));
}

TEST_CASE("called function: a mutant of it is cured, and with its instruction put back it is the original") {
  const struct {
    const char *kernel, *instruction, *change;
  } cases[] = {{"tile_read_by_callee", "s_barrier", "barrier-drop"},
               {"states_in_callee", "s_nop 15", "nop-drop"}};
  for (const auto& [name, instruction, change] : cases) {
    CAPTURE(name);
    PlantedPatient healthy("planted_calls", name, "", "_good");
    const hip::Kernel& kernel = healthy.patient.kernel();
    const std::string id = called_place(kernel, instruction).at.id(kernel.name);
    const std::string dropped = id + ":" + change, back = dropped + "," + id + ":before:" + instruction;
    for (const Condition& condition : healthy.conditions) {
      const Observation original = healthy.patient.observe(condition, "", Trust::all),
                        copy = healthy.patient.observe(condition, back, Trust::all);
      CHECK(copy.outputs == original.outputs);
      CHECK(copy.reports.empty());
    }
    CHECK(healthy.patient.clocks(0, back) == healthy.patient.clocks(0, ""));
    PlantedPatient mutated("planted_calls", name, dropped, "_good");
    const std::vector<CuredFinding> findings = mutated.cures();
    REQUIRE_FALSE(findings.empty());
    for (const CuredFinding& finding : findings) {
      CAPTURE(finding.cure.proof.objection, finding.option);
      CHECK(finding.cure.verdict == Cure::Verdict::cured);
      CHECK(changes_in(finding.cure.protections) <= 1);
    }
  }
}

TEST_CASE("called function: ways lead into it and back behind each of its calls") {
  const hip::Kernel kernel = hip::load_kernel("planted_calls", "load_in_callee_bad");
  const std::vector<Place> code = all_places(kernel);
  std::vector<Place> calls;
  for (const Place& place : code)
    if (place.text.starts_with("s_swappc_b64")) calls.push_back(place);
  REQUIRE(calls.size() == 2);
  const Place load = *std::ranges::find_if(
      code, [](const Place& place) { return place.text.starts_with("global_load_dword"); });
  REQUIRE_FALSE(load.at.function.empty());
  const auto which = [](const std::vector<Place>& ways, const CodePlace& at) {
    const auto found = std::ranges::find(ways, at, &Place::at);
    return found != ways.end() && found->on_every_way;
  };
  // From the first call to the second: through the function, and past what is behind the first.
  const std::vector<Place> ways = ways_between(kernel, calls[0].at, calls[1].at);
  CHECK(which(ways, load.at));
  CHECK(which(ways, {"", calls[0].at.offset + 4}));
  CHECK_FALSE(which(ways, {"", calls[1].at.offset + 4}));
  // From the function to itself: by the second call.
  const std::vector<Place> again = ways_between(kernel, load.at, load.at);
  CHECK(which(again, calls[1].at));
}

TEST_CASE("called function: one that ends in another comes back to its caller from there") {
  const hip::Kernel kernel = hip::load_kernel("planted_calls", "load_in_tail_bad");
  const std::vector<Place> code = all_places(kernel);
  const auto load = std::ranges::find_if(
      code, [](const Place& place) { return place.text.starts_with("global_load_dword"); });
  const auto store = std::ranges::find_if(
      code, [](const Place& place) { return place.text.starts_with("global_store_dword"); });
  REQUIRE(load != code.end());
  REQUIRE(store != code.end());
  CHECK(load->at.function.find("loaded_and_used") != std::string::npos);
  CHECK(store->at.function.empty());
  const std::vector<Place> ways = ways_between(kernel, load->at, store->at);
  CHECK(std::ranges::any_of(ways, [](const Place& place) {
    return place.at.function.empty() && place.on_every_way && place.to_later;
  }));
}

TEST_CASE("called function: one that an address in memory leads to is named, and no place is tried") {
  PlantedPatient planted("planted_calls", "called_by_pointer");
  const std::vector<CuredFinding> findings = planted.cures();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].cure.verdict == Cure::Verdict::not_cured);
  const std::string& why = findings[0].cure.proof.objection;
  CAPTURE(why);
  CHECK(why.find("the code of kernel called_by_pointer_bad does not say that it calls ") != why.npos);
  CHECK(why.find("where s_swappc_b64") != why.npos);
  CHECK(findings[0].cure.executions == 0);
  // The change that would do may be made and proven all the same.
  const CodePlace& use = findings[0].report.later_place;
  CHECK(use.function.find("loaded_and_used") != std::string::npos);
  const Observation seen = planted.patient.observe(
      planted.conditions.front(), use.id("called_by_pointer_bad") + ":before:s_waitcnt vmcnt(0)", Trust::all);
  CHECK(seen.errors().empty());
}
