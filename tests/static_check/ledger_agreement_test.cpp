// The ledger of mutants against the check without running: what the running checks killed as a register in flight or as
// missing wait states is an error in the code as well, and nothing that was killed is ever proved equivalent.
#include "emulator/static_check/proof.hpp"
#include "harness/mutation/ledger.hpp"
#include "tests/static_check/code_objects.hpp"
#include "tests/support/source_path.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

using namespace fmha950;
using harness::MutantVerdict;
using Verdict = static_check::Proof::Verdict;

namespace {

// Of one kernel, by id of the mutant; none when this build's code is not the ledger's.
std::map<std::string, static_check::Proof> proofs_of(const loader::Kernel& kernel) {
  std::map<std::string, static_check::Proof> proofs;
  const static_check::Prover prover(kernel);
  for (const observe::Mutation& mutation : observe::mutations_of(kernel))
    proofs[observe::id_of(kernel, mutation)] = prover.judge(mutation);
  return proofs;
}

struct Tally {
  int objects = 0, killed = 0, errors = 0, proved = 0, equivalent = 0;
};

bool in_registers(const std::string& reason) {
  return reason.starts_with("register_in_flight:") || reason.starts_with("wait_states:");
}

void compare(const std::string& name, Tally& tally) {
  const harness::Ledger ledger = harness::read_ledger(source_path("data/mutants/ledger/" + name + ".csv"));
  const auto object = test::load_code_object(name);
  std::map<std::string, static_check::Proof> proofs;
  for (const loader::Kernel& kernel : object->kernels()) proofs.merge(proofs_of(kernel));
  for (const harness::LedgerEntry& entry : ledger.entries)
    if (entry.mutant.find("+0x") != std::string::npos && !proofs.contains(entry.mutant)) return;
  ++tally.objects;
  for (const harness::LedgerEntry& entry : ledger.entries) {
    const auto found = proofs.find(entry.mutant);
    if (found == proofs.end()) continue; // a source mutant
    const static_check::Proof& proof = found->second;
    CAPTURE(name, entry.mutant, entry.judgement.reason, proof.reason);
    if (entry.judgement.verdict == MutantVerdict::killed) {
      ++tally.killed;
      CHECK(proof.verdict != Verdict::proved);
      if (in_registers(entry.judgement.reason)) {
        ++tally.errors;
        CHECK(proof.verdict == Verdict::refuted);
      }
    } else {
      ++tally.equivalent;
      tally.proved += proof.verdict == Verdict::proved;
    }
  }
}

} // namespace

TEST_CASE("static check: mutants that were killed are refuted or undecided, in registers always refuted",
          "[unsanitized]") {
  Tally tally;
  for (const auto& page : std::filesystem::directory_iterator(source_path("data/mutants/ledger")))
    if (const std::string name = page.path().stem(); exists(test::code_object_path(name)))
      compare(name, tally);
  CAPTURE(tally.objects, tally.killed, tally.errors, tally.proved, tally.equivalent);
  CHECK(tally.objects > 0);
}
// Waits that the ledger of 24 November 2026 (commit 17e9d16) called equivalent, because none of its problems noticed
// them, and that problems which were added since kill: the 93 of issue 20, as the code has them today (four s_nops were
// added to fused's sparse kernels, which moved theirs), and two of the corpus.
TEST_CASE(
    "static check: waits that only other problems than the first list's need are not proved superfluous",
    "[unsanitized]") {
  std::ifstream list(source_path("tests/static_check/needed_by_other_problems.csv"));
  std::map<std::string, std::set<std::string>> mutants; // by code object and kernel
  std::string line;
  std::getline(list, line);
  REQUIRE(line == "subject,mutant");
  for (; std::getline(list, line);)
    mutants[line.substr(0, line.find(','))].insert(line.substr(line.find(',') + 1));
  size_t listed = 0, judged = 0;
  for (const auto& [subject, ids] : mutants) {
    const size_t slash = subject.find('/');
    const auto object = test::load_code_object(subject.substr(0, slash));
    const loader::Kernel& kernel = *object->find_kernel(subject.substr(slash + 1));
    const static_check::Prover prover(kernel);
    size_t here = 0;
    for (const observe::Mutation& mutation : observe::mutations_of(kernel)) {
      const std::string id = observe::id_of(kernel, mutation);
      if (!ids.contains(id)) continue;
      ++here;
      const static_check::Proof proof = prover.judge(mutation);
      CAPTURE(subject, id, proof.reason);
      CHECK(proof.verdict != Verdict::proved);
    }
    listed += ids.size();
    judged += here;
  }
  CHECK(listed == 83);
  // The ledger's own code has all of them; another compiler's need not.
  const harness::Ledger one = harness::read_ledger(source_path("data/mutants/ledger/append_bf16_d128.csv"));
  const auto object = test::load_code_object("append_bf16_d128");
  std::set<std::string> ids;
  for (const loader::Kernel& kernel : object->kernels())
    for (const observe::Mutation& mutation : observe::mutations_of(kernel))
      ids.insert(observe::id_of(kernel, mutation));
  const bool is_ledgers = std::ranges::all_of(one.entries, [&](const auto& entry) {
    return entry.mutant.find("+0x") == std::string::npos || ids.contains(entry.mutant);
  });
  if (is_ledgers) CHECK(judged == listed);
}

TEST_CASE("static check: the ledger holds each of these as killed") {
  std::ifstream list(source_path("tests/static_check/needed_by_other_problems.csv"));
  std::string line;
  std::getline(list, line);
  std::map<std::string, std::string> text; // of a page
  for (; std::getline(list, line);) {
    const std::string page = line.substr(0, line.find('/'));
    if (text[page].empty()) {
      std::ifstream file(source_path("data/mutants/ledger/" + page + ".csv"));
      text[page] = {std::istreambuf_iterator<char>(file), {}};
    }
    const size_t entry = text[page].find("\n" + line + ",");
    CAPTURE(line);
    REQUIRE(entry != std::string::npos);
    const std::string row = text[page].substr(entry + 1, text[page].find('\n', entry + 1) - entry);
    CHECK(row.find(",killed,") != std::string::npos);
  }
}
