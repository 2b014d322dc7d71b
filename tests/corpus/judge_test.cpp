// The judge of ISA mutants, on mutants whose verdict is known: killed, equivalent, undecided, and each way to survive.
#include "harness/mutation/isa_mutants.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "tests/corpus/kernel_named.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// One kernel is mutated and another, usually the same, is run, on its first problem.
class Fake final : public Subject {
 public:
  Fake(const std::string& mutated, const std::string& run)
      : mutated_(kernel_named(mutated)), kernel_(kernel_named(run)), run_(kernel_, kernel_.problems.front()) {
  }
  explicit Fake(const std::string& kernel) : Fake(kernel, kernel) {}
  std::string name() const override { return mutated_.name; }
  hip::Kernel kernel() const override { return hip::load_kernel(mutated_.code_object, mutated_.name); }
  size_t problems() const override { return 1; }
  std::string problem(size_t) const override { return "first"; }
  Outputs run(size_t) override {
    const Words words = run_.run();
    Outputs outputs(words.size() * sizeof(uint32_t));
    std::memcpy(outputs.data(), words.data(), outputs.size());
    if (unsteady) outputs[0] ^= static_cast<std::byte>(++runs_);
    return outputs;
  }
  std::string wrong(size_t, const Outputs&) override { return ""; }
  void renew() override {}

  bool unsteady = false;

 private:
  CorpusKernel mutated_, kernel_;
  CorpusRun run_;
  int runs_ = 0;
};

Mutant mutant_of(const Subject& subject, const std::string& change, const std::string& instruction) {
  for (const Mutant& mutant : mutants_of(subject.kernel()))
    if (mutant.change == change && mutant.instruction == instruction) return mutant;
  FAIL("no mutant " << change << " of " << instruction);
  return {};
}

Judgement judged(Subject& subject, const std::string& change, const std::string& instruction) {
  IsaJudge judge(subject, mutation_schedules(4));
  return judge.judge(mutant_of(subject, change, instruction));
}

} // namespace

TEST_CASE("judge: a dropped wait is killed by the use of a register in flight, with its source line") {
  Fake subject("prefetch_registers");
  const Judgement judgement = judged(subject, "vmcnt+1", "s_waitcnt vmcnt(0)");
  CHECK(judgement.verdict == MutantVerdict::killed);
  CHECK_THAT(judgement.reason, Catch::StartsWith("register_in_flight: ") && Catch::Contains("copies.hip:"));
  CHECK(judgement.problem == "first");
}

TEST_CASE("judge: a wait right before a stricter one is equivalent") {
  Fake subject("prefetch_registers"); // the compiler moves the uses behind the last wait
  const Judgement judgement = judged(subject, "vmcnt-drop", "s_waitcnt vmcnt(2)");
  CHECK(judgement.verdict == MutantVerdict::equivalent);
  CHECK_THAT(judgement.reason, Catch::StartsWith("proved: on all paths a later wait "));
}

TEST_CASE("judge: what nothing notices and its code does not prove is undecided, with what is missing") {
  Fake subject("prefetch_registers");
  IsaJudge judge(subject, mutation_schedules(4));
  Mutant mutant = mutant_of(subject, "vmcnt-drop", "s_waitcnt vmcnt(2)");
  mutant.proved = false;
  mutant.proof = "addresses";
  const Judgement judgement = judge.judge(mutant);
  CHECK(judgement.verdict == MutantVerdict::undecided);
  CHECK(judgement.reason == "no difference under 4 schedules and no report, but not proved: addresses");
}

TEST_CASE("judge: a kill of what was held to be proved survives, as the proof is wrong") {
  Fake subject("prefetch_registers");
  IsaJudge judge(subject, mutation_schedules(4));
  Mutant mutant = mutant_of(subject, "vmcnt+1", "s_waitcnt vmcnt(0)");
  CHECK_FALSE(mutant.proved);
  mutant.proved = true;
  const Judgement judgement = judge.judge(mutant);
  CHECK(judgement.verdict == MutantVerdict::survived);
  CHECK_THAT(judgement.reason, Catch::StartsWith("proved equivalent, yet register_in_flight: "));
}

TEST_CASE("judge: of what nothing noticed only the problems that were added are run") {
  Fake subject("prefetch_registers");
  IsaJudge judge(subject, mutation_schedules(4));
  Mutant mutant = mutant_of(subject, "vmcnt+1", "s_waitcnt vmcnt(0)");
  CHECK(judge.judge_from(0, mutant).verdict == MutantVerdict::killed);
  CHECK(judge.judge_from(1, mutant).verdict == MutantVerdict::undecided); // there is no second problem
  mutant.proved = true;
  CHECK(judge.judge_from(0, mutant).verdict == MutantVerdict::survived);
  CHECK(judge.judge_from(1, mutant).verdict == MutantVerdict::equivalent);
}

TEST_CASE("judge: without a run a mutant that nothing noticed is what its proof says now") {
  Mutant mutant;
  mutant.proof = "addresses";
  CHECK(unnoticed(mutant, "no difference").verdict == MutantVerdict::undecided);
  CHECK(unnoticed(mutant, "no difference").reason == "no difference, but not proved: addresses");
  mutant.proved = true;
  CHECK(unnoticed(mutant, "no difference").verdict == MutantVerdict::equivalent);
  CHECK(unnoticed(mutant, "no difference").reason == "proved: addresses");
}

TEST_CASE("judge: the control passes a sound kernel and names the report of a mistake") {
  Fake sound("prefetch_registers"), mistake("overwritten_in_flight");
  CHECK(IsaJudge(sound, mutation_schedules(4)).control() == "");
  CHECK_THAT(IsaJudge(mistake, mutation_schedules(4)).control(), Catch::StartsWith("register_in_flight: "));
}

TEST_CASE("judge: no kill counts where the unmutated kernel has reports too") {
  Fake subject("overwritten_in_flight");
  IsaJudge judge(subject, mutation_schedules(4));
  size_t reported = 0;
  for (const Mutant& mutant : mutants_of(subject.kernel())) {
    const Judgement judgement = judge.judge(mutant);
    CAPTURE(mutant.id, judgement.reason);
    CHECK(judgement.verdict == MutantVerdict::survived);
    reported += judgement.reason.starts_with("the unmutated kernel fails too: ");
  }
  CHECK(reported > 0);
}

TEST_CASE("judge: what is never launched is not equivalent") {
  Fake subject("prefetch_registers", "transpose_lds");
  const Judgement judgement = judged(subject, "vmcnt+1", "s_waitcnt vmcnt(2)");
  CHECK(judgement.verdict == MutantVerdict::survived);
  CHECK_THAT(judgement.reason, Catch::StartsWith("not executed: "));
}

TEST_CASE("judge: other bits without a report are a survivor") {
  Fake subject("prefetch_registers", "transpose_lds");
  subject.unsteady = true;
  const Judgement judgement = judged(subject, "vmcnt+1", "s_waitcnt vmcnt(2)");
  CHECK(judgement.verdict == MutantVerdict::survived);
  CHECK(judgement.reason == "other outputs, and no report");
}
