// What docs/cures.md says of mutants is what data/cures has.
#include "harness/cure/all_subjects.hpp"
#include "harness/cure/inert_waits.hpp"
#include "harness/cure/patient.hpp"
#include "harness/cure/source_cures.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/isa_mutants.hpp"
#include "harness/probe/families.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

std::string page() {
  std::ostringstream text;
  text << std::ifstream(std::string(TESTS) + "/../docs/cures.md").rdbuf();
  return text.str();
}

std::vector<MutantCure> kept(const char* file) {
  std::vector<MutantCure> cures;
  std::ifstream lines(fmt::format("{}/../data/cures/{}.jsonl", TESTS, file));
  for (std::string line; std::getline(lines, line);) cures.push_back(from_line(line));
  return cures;
}

InertWait moving(double part) {
  return {"code/kernel", "kernel+0x10:before:s_nop 0", "", "", 1000, 1000 * (1 + part)};
}

MutantCure costing(double part) {
  MutantCure cure;
  cure.mutant = "kernel+0x10:vmcnt+1";
  cure.verdict = "cured";
  cure.clocks = 1000;
  cure.clocks_cured = 1000 * (1 + part);
  return cure;
}

} // namespace

TEST_CASE("cure: the table of docs/cures.md is what data/cures has") {
  const std::string text = page();
  std::vector<MutantCure> cures;
  for (const char* file : {"mutants", "pairs", "sources"}) {
    const auto of_file = kept(file);
    CHECK(of_file.size() >= 80);
    cures.insert(cures.end(), of_file.begin(), of_file.end());
  }
  std::istringstream table(as_table(cures, time_limit(kept_inert_waits())));
  std::string row;
  std::getline(table, row); // its head
  while (std::getline(table, row)) {
    std::istringstream cells(row);
    std::string in_page = "|";
    for (std::string cell; cells >> cell;) in_page += " " + cell + " |";
    CAPTURE(in_page);
    CHECK(text.find(in_page) != text.npos);
  }
  CHECK(text.find(gone_line(cures)) != text.npos); // beside the sentence that all are cured
}

TEST_CASE(
    "cure: nearly all waits and wait states that cure take no more clocks than an inert wait may move") {
  const auto waits = kept_inert_waits();
  CHECK(waits.size() == 100);
  CHECK(page().find(text_of(waits)) != std::string::npos);
  size_t cured = 0, in_time = 0;
  for (const MutantCure& cure : kept("mutants")) {
    if (cure.kind() == "barrier") continue;
    cured += cure.verdict == "cured";
    in_time += cure.verdict == "cured" && cure.is_within(time_limit(waits));
  }
  CHECK(cured > 7000);
  CHECK(in_time * 100 >= cured * 99);
}

TEST_CASE(
    "cure: of barriers that were lost 95 of 100 are cured, and as many of the cures take no more clocks") {
  const double limit = time_limit(kept_inert_waits());
  size_t findings = 0, cured = 0, in_time = 0;
  for (const MutantCure& cure : kept("mutants")) {
    if (cure.kind() != "barrier") continue;
    findings += cure.verdict != "no error";
    cured += cure.verdict == "cured";
    in_time += cure.verdict == "cured" && cure.is_within(limit);
  }
  CHECK(findings >= 500);
  CHECK(cured * 100 >= findings * 95);
  CHECK(in_time * 100 >= cured * 95);
}

TEST_CASE(
    "cure: of waits and wait states that were lost 95 of 100 are cured, each kind by itself, by one change") {
  std::map<std::string, std::pair<size_t, size_t>> kinds; // findings, cured by one change
  for (const MutantCure& cure : kept("mutants")) {
    auto& [findings, cured] = kinds[cure.kind()];
    findings += cure.verdict != "no error";
    cured += cure.verdict == "cured" && cure.places == 1;
  }
  CHECK(kinds.size() == 4);
  for (const auto& [kind, counts] : kinds) {
    CAPTURE(kind, counts.first, counts.second);
    CHECK(counts.first >= 500);
    CHECK(counts.second * 100 >= counts.first * 95);
  }
}

TEST_CASE("cure: of two hundred pairs that were lost 85 of 100 are cured, by at most two changes") {
  size_t findings = 0, cured = 0;
  for (const MutantCure& cure : kept("pairs")) {
    findings += cure.verdict != "no error";
    cured += cure.verdict == "cured" && cure.places <= 2;
  }
  CHECK(findings >= 200);
  CHECK(cured * 100 >= findings * 85);
}

TEST_CASE("cure: the limit of time is a hundredth, or what 95 of 100 inert waits do not exceed") {
  std::vector<InertWait> waits;
  for (int i = 1; i <= 100; ++i) waits.push_back(moving(i % 2 ? i * 1e-5 : -i * 1e-5));
  CHECK(moved_by_inert_waits(waits) == Approx(95e-5));
  CHECK(time_limit(waits) == 0.01);
  CHECK(costing(0.01).is_within(time_limit(waits)));
  CHECK_FALSE(costing(0.0101).is_within(time_limit(waits)));
  for (int i = 95; i <= 100; ++i) waits[static_cast<size_t>(i) - 1] = moving(0.03);
  CHECK(time_limit(waits) == Approx(0.03));
  CHECK(costing(0.029).is_within(time_limit(waits)));
  CHECK_FALSE(costing(0.031).is_within(time_limit(waits)));
  CHECK(moved_by_inert_waits({}) == 0);
  const std::string table = as_table({costing(0), costing(0.02)}, 0.01);
  CHECK(table.find("vmcnt           2        2          0        1 ") != std::string::npos);
}

TEST_CASE("cure: inert waits are drawn the same each time, fewer before more, and none is measured twice") {
  const auto few = drawn_inert_waits(5), more = drawn_inert_waits(20);
  CHECK(few.size() == 5);
  for (const InertWait& wait : few)
    CHECK(std::ranges::any_of(more, [&](const InertWait& other) { return other.is_of(wait); }));
  std::vector<InertWait> known = few;
  for (InertWait& wait : known) wait.clocks = wait.clocks_with = 1;
  const InertWait open = known.back();
  known.pop_back();
  std::vector<InertWait> told;
  const auto measured = measured_inert_waits(5, known, [&](const InertWait& wait) { told.push_back(wait); });
  REQUIRE(told.size() == 1);
  CHECK(told.front().is_of(open));
  CHECK(told.front().clocks > 1000);
  CHECK(told.front().moved() < 0.2);
  CHECK(measured.size() == 5);
  // What does wait moves the clocks: it is seen where something costs.
  const auto subjects = all_subjects();
  Subject& subject = *subjects.at(open.subject);
  set_judging_options(isa_budget);
  SubjectPatient patient(subject, subject.kernel(), "");
  CHECK(patient.clocks(0, subject.kernel().name + "+0x0:before:s_nop 15") > patient.clocks(0, ""));
  const InertWait read = inert_wait_from_line(to_line(told.front()));
  CHECK(to_line(read) == to_line(told.front()));
  CHECK_THROWS_WITH(inert_wait_from_line("{}"), Catch::Contains("must be lines of cure --mutants --inert"));
  CHECK_THROWS_WITH(inert_wait_from_line(to_line(InertWait{})), Catch::Contains("must be more than 0"));
}

TEST_CASE("cure: no source mutant that lacks a bound, a mask or a factor is cured") {
  size_t no_order = 0;
  const auto sources = kept("sources");
  for (const MutantCure& cure : sources) {
    CAPTURE(cure.subject, cure.mutant, cure.objection);
    CHECK(cure.verdict != "cured");
    CHECK(cure.verdict != "no error");
    no_order += cure.verdict == no_order_fault;
  }
  CHECK(no_order * 100 >= sources.size() * 90);
}

TEST_CASE("cure: protections of order are names of source mutants") {
  std::set<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(std::string(TESTS) + "/..")) {
    if (!folder.path().filename().string().starts_with("impl_")) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (!file.path().filename().string().starts_with("mutants")) continue;
      std::ifstream list(file.path());
      for (std::string line; std::getline(list, line);) names.insert(line.substr(0, line.find(' ')));
    }
  }
  CHECK(order_protections().size() > 50);
  for (const std::string& name : order_protections()) {
    CAPTURE(name);
    CHECK(names.contains(name.substr(name.find('/') + 1))); // also of one code object
  }
}

TEST_CASE(
    "cure: a source mutant without a bound or a factor is not an order fault, one without a wait is cured",
    "[slow]") {
  const auto judged = [](const char* name, const char* probe_name) {
    const SourceMutant mutant = mutant_named(mutant_folder() / "baseline", name);
    for (const Probe& probe : all_probes())
      if (probe.name == probe_name) return cure_source_mutant(mutant, probe, {});
    FAIL("no such probe");
    return MutantCure{};
  };
  constexpr const char* lengths = "lengths/keys/sglang/linear/page=16/quant=none";
  CHECK(judged("baseline_bf16_d128/page_clamp_linear", lengths).verdict == no_order_fault); // out of bounds
  const MutantCure wrong = judged("baseline_bf16_d128/diagonal_mask", lengths);
  CHECK(wrong.verdict == no_order_fault);
  CHECK(wrong.objection.find("rmse") != std::string::npos);
  CHECK(judged("baseline_bf16_d128/k_read_n", lengths).verdict == "cured");
  CHECK(judged("baseline_bf16_d128/soft_cap", lengths).verdict == "no error"); // this probe has no cap
}
