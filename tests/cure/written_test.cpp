// Kernels that are written as assembly, and made into code objects again by clang: what the device's changed copy is.
#include "tests/cure/assembled.hpp"
#include "tests/cure/patient_of.hpp"

#include "harness/cure/patched_kernels.hpp"
#include "harness/mutation/kernel_list.hpp"

#include <map>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

Words plus_tables(const Words& in, const CorpusProblem& problem) {
  constexpr uint32_t constants[] = {7, 11, 13, 17, 19};
  Words out(64);
  for (uint32_t i = 0; i < 64; ++i) out[i] = in[i] + 1 + (i % 4 + 1) * 1000 + constants[i * problem.n % 5];
  return out;
}
std::string written(const hip::Kernel& kernel, const std::string& changes, const std::string& notes = "") {
  const char* text = nullptr;
  hip::check(hip::api().Assembly(kernel.function, changes.c_str(), notes.c_str(), &text), "fmha950Assembly");
  return text;
}

// The kernel of the text against the device's copy of `original` with these changes.
void check_same(TestPatient& original, const CorpusKernel& kernel, const std::string& changes,
                const std::string& text) {
  CAPTURE(kernel.name, changes);
  std::vector<Observation> copies; // at first, as a subject loads its kernel when it first runs
  for (const Condition& condition : original.conditions)
    copies.push_back(original.patient.observe(condition, changes, Trust::all));
  const double clocks = original.patient.clocks(0, changes);
  const hip::CodeObjectOverride instead(kernel.code_object, assembled(text));
  TestPatient made(kernel);
  for (size_t i = 0; i < copies.size(); ++i) {
    const Condition& condition = original.conditions[i];
    CAPTURE(condition.schedule, condition.problem);
    const Observation clang = made.patient.observe(condition, "", Trust::all);
    CHECK(copies[i].fault == clang.fault);
    CHECK(*copies[i].outputs == *clang.outputs);
    CHECK(classes_of(copies[i]) == classes_of(clang));
  }
  CHECK(clocks == made.patient.clocks(0, ""));
}

} // namespace

TEST_CASE("written kernel: with the cures of all of its findings it has no finding, and right bits") {
  const CorpusKernel kernels[] = {kernel_of("cure_kernels", "late_wait", 64, {{128, 1}}, plus_one),
                                  kernel_of("cure_kernels", "loose_wait", 64, {{128, 1}}, pair_plus_one),
                                  kernel_of("cure_kernels", "two_faults", 64, {{128, 1}}, pair_plus_one),
                                  kernel_of("cure_program_kernels", "looked_up", 64, {{128, 1}}, plus_tables),
                                  kernel_of("cure_kernels", "refilled", 128, {{1024, 1}}, summed_reversed)};
  for (const CorpusKernel& kernel : kernels) {
    CAPTURE(kernel.name);
    TestPatient faulty(kernel);
    const auto findings = cure_findings(faulty.patient, faulty.conditions, {});
    const auto patched = patched_kernels(findings, "patched.s");
    REQUIRE(patched.size() == 1);
    CHECK(patched.front().kernel == kernel.name);
    CHECK(patched.front().file == "patched.s");
    std::string changes;
    for (const CuredFinding& finding : findings) {
      REQUIRE(finding.cure.verdict == Cure::Verdict::cured);
      changes += (changes.empty() ? "" : ",") + finding.option;
    }
    const std::string& text = patched.front().text;
    check_same(faulty, kernel, changes, text);
    CHECK(text.find(fmt::format("{} cures finding 1: ", findings.front().cure.protections.front().text())) !=
          text.npos);
    const hip::CodeObjectOverride instead(kernel.code_object, assembled(text));
    TestPatient cured(kernel);
    for (const Condition& condition : cured.conditions) {
      const Observation seen = cured.patient.observe(condition, "", Trust::all);
      CHECK(seen.reports.empty());
      CHECK(cured.patient.wrong(condition, "", seen.outputs) == "");
    }
  }
}

TEST_CASE("written kernel: cures of two findings are in one file, and of no finding there is none") {
  TestPatient faulty(kernel_of("cure_kernels", "two_faults", 64, {{128, 1}}, pair_plus_one));
  auto each = cure_findings(faulty.patient, faulty.conditions, {});
  REQUIRE(each.size() == 2);
  const auto patched = patched_kernels(each, "two.s");
  REQUIRE(patched.size() == 1);
  for (const char* part : {"cures finding 1: ", "cures finding 2: "})
    CHECK(patched.front().text.find(part) != std::string::npos);
  for (CuredFinding& finding : each) finding.cure.verdict = Cure::Verdict::partly;
  CHECK(patched_kernels(each, "two.s").empty());
}

TEST_CASE("written kernel: every kind of change is in it") {
  const CorpusKernel kernel = kernel_of("cure_unpatched", "nop_inside", 128, {{2048, 4}}, summed);
  TestPatient original(kernel, "", {"eager", "lazy", "timed"}); // what is drawn goes by the launch's number
  const std::vector<Place> code = all_places(original.patient.kernel());
  const auto find = [&](const char* text) {
    const auto found =
        std::ranges::find_if(code, [&](const Place& place) { return place.text.starts_with(text); });
    REQUIRE(found != code.end());
    return found;
  };
  const auto branch = find("s_cbranch_scc1"), load = find("global_load_dword"),
             wait = find("s_waitcnt vmcnt(0)"), nop = find("s_nop 0");
  const auto change = [&](uint64_t offset, const std::string& what) {
    return fmt::format("{}+{:#x}:{}", kernel.name, offset, what);
  };
  const std::string on_back_edge =
      change(load->at.offset, fmt::format("edge({:#x}):s_nop 4", branch->at.offset));
  for (const std::string& changes :
       {change(load->at.offset, "before:s_barrier;s_nop 3"), change(branch->at.offset, "after:s_nop 7"),
        on_back_edge, change(nop->at.offset, "nop-drop"), change(wait->at.offset, "vmcnt-drop"),
        change(wait->at.offset, "lgkmcnt=3"),
        on_back_edge + "," + change(load->at.offset, "before:s_waitcnt lgkmcnt(0)") + "," +
            change(nop->at.offset, "nop-drop") + "," + change(wait->at.offset, "vmcnt+1")})
    check_same(original, kernel, changes, written(original.patient.kernel(), changes));

  const std::string text = written(original.patient.kernel(), change(wait->at.offset, "vmcnt-drop"),
                                   fmt::format("{:#x}\tsaid of it\n", wait->at.offset));
  CHECK(text.find("; said of it\n") != text.npos);
  CHECK(text.find(fmt::format("; +{:#x}: was s_waitcnt vmcnt(0)", wait->at.offset)) != text.npos);
  CHECK(written(original.patient.kernel(), change(nop->at.offset, "nop-drop"))
            .find(fmt::format("; +{:#x}: s_nop 0 is gone", nop->at.offset)) != std::string::npos);
  CHECK(written(original.patient.kernel(), on_back_edge).find("; back") != std::string::npos);
}

TEST_CASE("written kernel: kernels of the corpus with a patch in their middle are what clang makes of them") {
  size_t kernels = 0;
  for (const CorpusKernel& kernel : corpus()) {
    if (kernel.verdict != "clean" || kernels == 10) continue;
    TestPatient original(kernel, "", {"eager", "lazy", "timed"});
    const std::vector<Place> code = all_places(original.patient.kernel());
    const auto wait = std::ranges::find(code, "wait", &Place::kind);
    if (wait == code.end()) continue;
    const std::string changes =
        fmt::format("{0}+{1:#x}:before:s_waitcnt vmcnt(0) lgkmcnt(0);s_nop 3", kernel.name, wait->at.offset);
    check_same(original, kernel, changes, written(original.patient.kernel(), changes));
    ++kernels;
  }
  CHECK(kernels == 10);
}

TEST_CASE("written kernel: every kernel of this project, with all of its instructions as text") {
  const auto check = [](const std::string& name, const hip::Kernel& kernel) {
    CAPTURE(name);
    const std::string text = written(kernel, ""); // refuses what is not the same, byte for byte
    CHECK(text.find(".long") == text.npos);
  };
  std::map<std::string, hip::Kernel> kernels;
  for (const ListedKernel& listed : all_kernels())
    kernels.try_emplace(listed.name(), hip::load_kernel(listed.code_object, listed.kernel));
  for (const auto& subject : corpus_subjects()) kernels.try_emplace(subject->name(), subject->kernel());
  CHECK(kernels.size() > 60);
  for (const auto& [name, kernel] : kernels) check(name, kernel);
}

TEST_CASE("written kernel: what cannot be written faithfully is refused by name") {
  const auto refused = [](const hip::Kernel& kernel, const std::string& changes) {
    const char* text = nullptr;
    CHECK(hip::api().Assembly(kernel.function, changes.c_str(), "", &text) != 0);
    return std::string(hip::api().LastErrorDetail());
  };
  CHECK_THAT(refused(hip::load_kernel("planted_kernels", "loaded_by_callee_bad"), ""),
             Catch::Contains("loaded_by_callee_bad cannot be written") &&
                 Catch::Contains("the file would lack the function that it calls"));
  const hip::Kernel buffers = hip::load_kernel("cure_kernels", "dma_without_wait");
  for (const Mutant& mutant : mutants_of(buffers)) {
    if (mutant.change != "num_records") continue;
    CHECK_THAT(refused(buffers, mutant.id), Catch::Contains("no instruction does that"));
  }
  const hip::Kernel late = hip::load_kernel("cure_kernels", "late_wait");
  CHECK_THAT(refused(late, "late_wait+0x2:nop-drop"), Catch::Contains("none of that id"));
  const char* text = nullptr;
  CHECK(hip::api().Assembly(late.function, "", "no offset", &text) != 0);
  CHECK_THAT(hip::api().LastErrorDetail(), Catch::Contains("0xOFFSET, a tab and a text"));
}
