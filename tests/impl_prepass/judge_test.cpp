// The judge of source mutants on code objects whose verdict is known, and that no kernel of the
// implementation is left out of the subjects of ISA mutants.
#include "harness/device/variation.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "interface/hip.hpp"
#include "tests/support/kernel_checks.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"
#include <fstream>
#include <unistd.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr const char* variant = "prepass_relayout";

// A mutant of any bytes.
class Made {
 public:
  explicit Made(std::span<const std::byte> code)
      : mutant{"prepass",
               "made",
               variant,
               "batch_prefill",
               "nothing",
               std::filesystem::temp_directory_path() / ("judge_test_" + std::to_string(getpid()) + ".co")} {
    std::ofstream(mutant.file, std::ios::binary)
        .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
  }
  ~Made() { std::filesystem::remove(mutant.file); }
  SourceMutant mutant;
};

Judgement judged(const SourceMutant& mutant,
                 const std::string& probes = "^page_permutation/single/4098/constant_v$") {
  SourceJudge judge(select_probes(all_probes(), probes), {"eager", "lazy"});
  const Judgement judgement = judge.judge(mutant).judgement;
  apply({.schedule = "eager", .threads = "", .mfma = "", .check = "none"}); // as other tests expect it
  return judgement;
}

} // namespace

TEST_CASE("source judge: the product as its own mutant is equivalent, a real one is killed by an accurate "
          "control") {
  const Made product(hip::code_object(variant));
  const Judgement same = judged(product.mutant);
  CHECK(same.verdict == MutantVerdict::equivalent);
  CHECK(same.reason == "proved: the same code");
  const Judgement killed = judged(test::mutant_named("prepass", "page_base_32_bits"));
  CHECK(killed.verdict == MutantVerdict::killed);
  CHECK_THAT(killed.reason, Catch::StartsWith("inaccurate: "));
  CHECK(killed.problem == "page_permutation/single/4098/constant_v");
}

TEST_CASE("source judge: other code that no probe notices is undecided") {
  const Judgement judgement =
      judged(test::mutant_named("prepass", "page_base_32_bits"), "^page_permutation/single/2047/constant_v$");
  CHECK(judgement.verdict == MutantVerdict::undecided);
  CHECK(judgement.reason == "no probe failed under 2 schedules, but its code is another");
}

TEST_CASE("source judge: code without the kernel is no kill") {
  const Made other(hip::code_object("prepass_attention_bf16"));
  const Judgement judgement = judged(other.mutant);
  CHECK(judgement.verdict == MutantVerdict::survived);
  CHECK_THAT(judgement.reason, Catch::StartsWith("the probe could not be judged: "));
}

TEST_CASE("every kernel of the implementation is a subject of ISA mutants") {
  test::check_kernels_are_subjects("prepass_", 7 + 4 + 6);
}
