// `cure` as a user calls it: a case, a program, mutants, and what is refused.
#include "tests/harness/program.hpp"

#include "harness/cure/case_cures.hpp"
#include "harness/cure/mutant_cures.hpp"
#include "harness/cure/program_cures.hpp"
#include "harness/mutation/kernel_list.hpp"
#include "harness/mutation/mutant.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"

#include "tests/support/catch.hpp"
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr const char* small = "batch_prefill/h=2:1/sq=65/sk=65";

std::vector<std::string> program(const std::string& kernel) {
  return {"/usr/bin/python3", std::string(TESTS) + "/cure/racy_program.py",
          std::string(CODE_OBJECTS) + "/cure_kernels.co", kernel};
}

} // namespace

TEST_CASE("cure: a case without a finding, and one with a fault put in") {
  const Ran clean = run_fmha950(std::string("cure ") + small + " --impl baseline");
  CHECK(clean.exit_code == 0);
  CHECK(clean.out == std::vector<std::string>{"0 findings, 0 cured, 0 partly, 0 not"});

  const auto mutants = mutants_of(hip::load_kernel("baseline_bf16_d128", "attention_linear"));
  const auto barrier = std::ranges::find(mutants, "barrier-drop", &Mutant::change);
  REQUIRE(barrier != mutants.end());
  const std::string arguments =
      std::string("cure ") + small + " --impl baseline --schedules eager,lazy --mutant " + barrier->id;
  const Ran faulty = run_fmha950(arguments);
  CAPTURE(joined(faulty.out), joined(faulty.err));
  CHECK(faulty.exit_code == 2);
  CHECK(faulty.out.back() == "2 findings, 2 cured, 0 partly, 0 not"); // the other follows from it
  const std::string text = joined(faulty.out);
  for (const char* part : {"cured by 1 change", "proof   in ", "ordered by ", "result  right by the oracle",
                           "also on batch_prefill/h=2:1/sq=65/sk=129/d=128", "modelled",
                           "try it  FMHA950_MUTANT='attention_linear+0x"})
    CHECK(text.find(part) != text.npos);

  // With the change that it names there is no finding left.
  const TemporaryFolder folder;
  const std::string file = folder.path() / "patched.s";
  const auto json = nlohmann::json::parse(run_fmha950(arguments + " --json --write " + file).out.front());
  CHECK(folder.read("patched.s").find("attention_linear:\n") != std::string::npos);
  CHECK(folder.read("patched.s").find(": s_barrier is gone") != std::string::npos); // the mutant is in it
  CHECK(folder.read("patched.s").find("cures finding 1: ") != std::string::npos);
  const Ran cured =
      run_fmha950(std::string("cure ") + small + " --impl baseline --schedules eager,lazy --mutant '" +
                  barrier->id + "," + json.at("change").get<std::string>() + "'");
  CHECK(cured.exit_code == 0);
}

TEST_CASE("cure: every form of a case has three further ones, which its implementation takes") {
  struct Form {
    const char *implementation, *text;
  };
  for (const Form& form : std::initializer_list<Form>{
           {"baseline", small},
           {"baseline", "batch_prefill/h=1:1/sq=40/sk=470/d=64/causal=1/tree=40"},
           {"baseline", "append_prefill/h=2:1/sq=33/sk=357/d=128/q=bf16/page=1/window=40:9/sink=4"},
           {"prepass", "batch_prefill/h=2:1/sq=33/sk=357/d=192:128"},
           {"prepass", "sparse_prefill/h=16/n=2/pool=300/chunk=77/scale=0.0442"},
           {"fused", "sparse_prefill/h=16/n=2/pool=300/chunk=77/kv=fp8/scale=0.0442"},
           {"combine", "merge/parts=2/h=16/n=33/d=24/lse=1"}}) {
    CAPTURE(form.text);
    const Implementation& implementation = find_implementation(form.implementation);
    REQUIRE(implementation.supports(parse_case(form.text)));
    const std::vector<std::string> further = cure::further_cases(implementation, form.text);
    CHECK(further.size() == 3);
    for (const std::string& other : further) {
      CAPTURE(other);
      CHECK(other != print_case(parse_case(form.text)));
      CHECK_NOTHROW(validate_problem(parse_case(other)));
      CHECK(implementation.supports(parse_case(other)));
    }
  }
}

TEST_CASE("cure: the problems that mutants are judged on have further cases, too") {
  size_t problems = 0;
  for (const ListedKernel& listed : all_kernels())
    for (const std::string& problem : listed.problems) {
      const std::string text = problem.substr(0, problem.find('!')); // where pools lie
      if (listed.implementation == "external" || parse_case(text).trace) continue;
      CAPTURE(listed.implementation, text);
      const auto further = cure::further_cases(find_implementation(listed.implementation), text);
      CHECK(further.size() == 3);
      for (const std::string& other : further) CHECK_NOTHROW(validate_problem(parse_case(other)));
      ++problems;
    }
  CHECK(problems > 700);
}

TEST_CASE(
    "cure: where there is no finding the case is run once under each condition, and no candidate is made") {
  const Implementation& implementation = find_implementation("baseline");
  const cure::CaseCureOptions options{
      "", {"eager", "lazy", "random:1,random:1"}, cure::further_cases(implementation, small), {}};
  CHECK(options.further.size() == 3);
  const TimingInForce each_launch_is_told("samples");
  CHECK(cure::cure_case(implementation, small, options).empty());
  const std::string launches = hip::api().Timings();
  CHECK(static_cast<size_t>(std::ranges::count(launches, '\n')) ==
        options.schedules.size() + options.further.size());
}

TEST_CASE("cure: a warning that the kernel has besides does not stand in the way") {
  std::string changes;
  for (const Mutant& mutant : mutants_of(hip::load_kernel("baseline_bf16_d128", "attention_linear"))) {
    const bool warns = mutant.change == "nop-drop" && mutant.source.find("lds_dma") != mutant.source.npos;
    const bool is_fault = mutant.change == "barrier-drop" && changes.find("barrier-drop") == changes.npos;
    if (warns || is_fault) changes += (changes.empty() ? "" : ",") + mutant.id;
  }
  REQUIRE(changes.find("nop-drop") != changes.npos);
  REQUIRE(changes.find("barrier-drop") != changes.npos);
  const Ran ran = run_fmha950(std::string("cure ") + small +
                              " --impl baseline --schedules eager,lazy --mutant " + changes);
  CAPTURE(joined(ran.out), joined(ran.err));
  CHECK(ran.out.back() == "2 findings, 2 cured, 0 partly, 0 not");
  CHECK(joined(ran.out).find("result  right by the oracle") != std::string::npos);
}

// Python, built without sanitizers, cannot load a device that needs them.
TEST_CASE("cure: a program's kernel, by running it again", "[unsanitized]") {
  const auto findings = cure::cure_program(program("late_wait"), {{"eager", "lazy"}, {}});
  REQUIRE(findings.size() == 1);
  const cure::Cure& cure = findings.front().cure;
  CAPTURE(cure.proof.objection);
  CHECK(cure.verdict == cure::Cure::Verdict::cured);
  REQUIRE(cure.protections.size() == 1);
  CHECK(cure.protections.front().text() == "s_waitcnt vmcnt(0)");
  CHECK(findings.front().report.earlier.find("global_load_dword") != std::string::npos);
  // Two faults in one statement of assembly are two findings, though they have one line.
  const auto two = cure::cure_program(program("two_faults"), {{"eager", "lazy"}, {}});
  REQUIRE(two.size() == 2);
  for (const auto& finding : two) CHECK(finding.cure.protections.size() == 1);
}

TEST_CASE("cure: kernels of one name in two code objects of a program are refused", "[unsanitized]") {
  std::vector<std::string> command = {"/usr/bin/python3", std::string(TESTS) + "/cure/racy_program.py"};
  for (const char* object : {"cure_patched", "cure_unpatched"}) {
    command.push_back(fmt::format("{}/{}.co", CODE_OBJECTS, object));
    command.emplace_back("wait_before");
  }
  CHECK_THROWS_WITH(cure::cure_program(command, {{"eager"}, {}}),
                    Catch::Contains("no two code objects with a kernel wait_before"));
}

TEST_CASE("cure: what is too strong in a case") {
  const std::string arguments =
      std::string("cure ") + small + " --impl baseline --schedules eager,lazy --too-strong";
  const Ran ran = run_fmha950(arguments);
  const std::string text = joined(ran.out);
  CAPTURE(text, joined(ran.err));
  CHECK(ran.exit_code == 0);
  for (const char* part :
       {"kernel attention_linear: ", " protections may go or be weaker together; ", "waits.hpp:29 from ",
        "right by the oracle", "also on batch_prefill/h=2:1/sq=65/sk=129", "modelled",
        "try it  FMHA950_MUTANT='attention_linear+0x"})
    CHECK(text.find(part) != text.npos);
  CHECK(ran.out.back().find(" of 1 kernels may go or be weaker, ") != std::string::npos);
  // With what it names gone there is no finding.
  const auto by_hand = nlohmann::json::parse(run_fmha950(arguments + " --json").out.back());
  CHECK(by_hand.at("kind") == "kernel");
  CHECK(by_hand.at("without_source") == 0);
  CHECK(by_hand.at("looked_at") > by_hand.at("members"));
  const Ran without =
      run_fmha950(std::string("cure ") + small + " --impl baseline --schedules eager,lazy --mutant '" +
                  by_hand.at("change").get<std::string>() + "'");
  CHECK(without.exit_code == 0);
}

TEST_CASE("cure: with --all the compiler's are among what is too strong", "[slow]") {
  const std::string arguments =
      std::string("cure ") + small + " --impl baseline --schedules eager,lazy --too-strong --json";
  const auto by_hand = nlohmann::json::parse(run_fmha950(arguments).out.back());
  const auto all = nlohmann::json::parse(run_fmha950(arguments + " --all").out.back());
  CHECK(all.at("looked_at") > by_hand.at("looked_at"));
  CHECK(all.at("members") > by_hand.at("members"));
  CHECK(all.at("clocks_without") < by_hand.at("clocks_without"));
  CHECK(all.at("not_tried") == 0);
}

TEST_CASE("cure: what is refused, with what would be right") {
  const auto refused = [](const std::string& arguments, const char* wanted) {
    const Ran ran = run_fmha950(arguments);
    CAPTURE(arguments, joined(ran.err));
    CHECK(ran.exit_code == 3);
    REQUIRE_FALSE(ran.err.empty());
    CHECK(ran.err.back().find(wanted) != std::string::npos);
  };
  refused("cure", "case = : must be given");
  refused(std::string("cure ") + small + " --mutants", "must be given, or program or --mutants instead");
  refused(std::string("cure ") + small + " --impl all", "must be one implementation");
  refused("cure 'batch_prefill/h=2:1/sq=65/sk=65/cap=30' --impl pipelined", "must support the case");
  refused(std::string("cure ") + small + " --mutant nonsense", "must be KERNEL+0xOFFSET:CHANGE");
  refused(std::string("cure ") + small + " --impl baseline --mutant nosuch+0x10:barrier-drop",
          "must be of a kernel that the case launches");
  refused(std::string("cure ") + small + " --impl baseline --also batch_prefill/h=2:1/sq=65/sk=65/d=256",
          "must launch no other kernel of the name");
  refused(std::string("cure ") + small + " --most 3", "goes with --mutants only");
  refused(std::string("cure ") + small + " --inert", "goes with --mutants only");
  refused(std::string("cure ") + small + " --sources", "goes with --mutants only");
  refused("cure --mutants --write x.s", "goes with a case or a program only");
  refused("cure --write /no/folder/x.s program true", "cannot be written");
  refused("cure --write / program true", "must be a regular file");
  refused("cure --mutants --too-strong", "goes with a case only");
  refused("cure --too-strong program true", "goes with a case only");
  refused(std::string("cure ") + small + " --all", "goes with --too-strong only");
  refused(std::string("cure ") + small + " --too-strong --mutant nonsense", "does not go with --too-strong");
  refused(std::string("cure ") + small + " --rerun", "goes with a program only");
  refused("cure program", "must be followed by a program");
  refused("cure program true", "must launch a kernel");
  refused("cure program false", "must end with exit code 0, not 1");
  const Ran mutant = run_fmha950("cure program true", "FMHA950_MUTANT=k+0x10:barrier-drop");
  CHECK(mutant.exit_code == 3);
  CHECK(mutant.err.back().find("FMHA950_MUTANT = k+0x10:barrier-drop: must not be set") != std::string::npos);
  refused("cure program /no/such/program", "must be a program");
}

TEST_CASE("cure: lines of mutants are read as they were written, and counted by kind") {
  cure::MutantCure cured;
  cured.subject = "code/kernel";
  cured.mutant = "kernel+0x10:vmcnt+1";
  cured.verdict = "cured";
  cured.change = "kernel+0x14:before:s_waitcnt vmcnt(0)";
  cured.places = 1;
  cured.clocks = 100;
  cured.pairs = cured.ordered = 3;
  const cure::MutantCure read = cure::from_line(to_line(cured));
  CHECK(to_line(read) == to_line(cured));
  CHECK(read.kind() == "vmcnt");
  cure::MutantCure failed = cured, other = cured, pair = cured;
  failed.mutant = "kernel+0x10:barrier-drop";
  failed.verdict = "not cured";
  other.verdict = "no error";
  pair.mutant = "kernel+0x10:vmcnt+1,kernel+0x20:nop-drop";
  CHECK(pair.kind() == "pair");
  CHECK(cure::closing_line(std::vector{cured, failed, other, pair}) ==
        "3 findings, 2 cured, 0 partly, 1 not");
  CHECK(cure::as_table({cured, failed}, 0).find("barrier         1        0") != std::string::npos);
  cure::MutantCure only_gone = cured;
  only_gone.ordered = 2;
  CHECK(cure::gone_line({cured, failed, only_gone, cured, cured}) ==
        "Of 4 cured findings 3 have every pair met and ordered; of 1 (25 %) some pair is only gone");
}

TEST_CASE("cure: of a sample of mutants nearly all are cured, by one place", "[slow]") {
  cure::MutantCureOptions options;
  options.most = 120;
  const auto cures = cure::cure_mutants(options, {});
  std::map<std::string, std::pair<size_t, size_t>> by_kind; // findings, cured by one place
  for (const cure::MutantCure& cure : cures) {
    if (cure.verdict == "no error") continue;
    auto& [findings, cured] = by_kind[cure.kind()];
    ++findings;
    cured += cure.verdict == "cured" && cure.places == 1;
    CAPTURE(cure.subject, cure.mutant, cure.objection);
    CHECK(cure.verdict == "cured");
  }
  CHECK(by_kind.size() == 4);
  for (const auto& [kind, count] : by_kind) {
    CAPTURE(kind);
    CHECK(count.first >= 3);
    CHECK(count.second * 100 >= count.first * 95);
  }
}
