// The ledger of mutants against the check without running: what the running checks killed as a register in flight or as
// missing wait states is an error in the code as well, and nothing that was killed is ever proved equivalent.
#include "emulator/static_check/proof.hpp"
#include "harness/mutation/ledger.hpp"
#include "tests/static_check/code_objects.hpp"
#include "tests/support/source_path.hpp"

#include "tests/support/catch.hpp"
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

TEST_CASE("static check: mutants that were killed are refuted or undecided, in registers always refuted") {
  Tally tally;
  for (const auto& page : std::filesystem::directory_iterator(source_path("data/mutants/ledger")))
    if (const std::string name = page.path().stem(); exists(test::code_object_path(name)))
      compare(name, tally);
  CAPTURE(tally.objects, tally.killed, tally.errors, tally.proved, tally.equivalent);
  CHECK(tally.objects > 0);
}
TEST_CASE(
    "static check: waits that only other problems than the list's need are not proved to be superfluous") {
  for (const auto& [object, kernel, mutant] :
       {std::tuple("prepass_attention_bf16", "attention_forward", "attention_forward+0x1ac0:vmcnt-drop"),
        {"append_bf16_d128", "append_attention", "append_attention+0x162c:vmcnt-drop"},
        {"fused_sparse", "sparse_split_64", "sparse_split_64+0x16e0:lgkmcnt-drop"}}) {
    CAPTURE(mutant);
    const auto code = test::load_code_object(object);
    const auto proofs = proofs_of(*code->find_kernel(kernel));
    if (const auto found = proofs.find(mutant); found != proofs.end()) // else another compiler's code
      CHECK(found->second.verdict != Verdict::proved);
  }
}
