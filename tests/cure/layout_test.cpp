// The device's copy of a kernel with changes against the same kernel as clang assembles it, and against the original.
#include "tests/cure/patient_of.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

TestPatient patched(const char* code_object, const char* name) {
  return TestPatient(kernel_of(code_object, name, 128, {{2048, 4}}, summed));
}

// Instructions from the kernel's entry on, by their texts and offsets.
std::vector<Place> code_of(TestPatient& of) { return all_places(of.patient.kernel()); }

} // namespace

TEST_CASE("changed copy: bits, reports and clocks of the kernel that clang assembles with the patch") {
  for (const char* name :
       {"wait_before", "nop_before", "barrier_before", "wait_inside", "nop_inside", "barrier_inside",
        "wait_and_barrier_inside", "wait_behind", "nop_behind", "barrier_behind"}) {
    CAPTURE(name);
    auto assembled = patched("cure_patched", name), original = patched("cure_unpatched", name);
    const std::vector<Place> with = code_of(assembled), without = code_of(original);
    REQUIRE(with.size() > without.size());
    size_t first = 0; // that differs: the patch begins there
    while (with[first].text == without[first].text) ++first;
    std::string inserted;
    for (size_t i = first; i < first + with.size() - without.size(); ++i)
      inserted += (inserted.empty() ? "" : ";") + with[i].text;
    // On the way from the instruction before it: what jumps to the next one does not pass it.
    const std::string change =
        fmt::format("{}+{:#x}:{}:{}", name, without[first].at.offset, "before", inserted);
    const std::string in_front = fmt::format("{}+{:#x}:edge({:#x}):{}", name, without[first].at.offset,
                                             without[first - 1].at.offset, inserted);
    const bool before_loop = std::string(name).ends_with("_before");
    const std::string& list = before_loop ? in_front : change;
    for (const Condition& condition : original.conditions) {
      CAPTURE(condition.schedule, list);
      const Observation copy = original.patient.observe(condition, list, Trust::all),
                        clang = assembled.patient.observe(condition, "", Trust::all);
      CHECK(copy.fault == "");
      CHECK(*copy.outputs == *clang.outputs);
      CHECK(classes_of(copy) == classes_of(clang));
    }
    const double copied = original.patient.clocks(0, list), built = assembled.patient.clocks(0, "");
    CAPTURE(copied, built, original.patient.clocks(0, ""));
    CHECK(std::abs(copied / built - 1) < 0.002);
  }
}

TEST_CASE("changed copy: a mutant with its own instruction put back is the original, to the clock") {
  for (const char* name : {"reduce_lds_tree", "matrix_vector", "ping_pong_global_lds"}) {
    const auto subjects = corpus_subjects();
    const auto subject =
        std::ranges::find_if(subjects, [&](const auto& each) { return each->name().ends_with(name); });
    REQUIRE(subject != subjects.end());
    set_judging_options(isa_budget);
    SubjectPatient patient(**subject, (*subject)->kernel(), "");
    const double clocks = patient.clocks(0, "");
    const Observation original = patient.observe({"eager", 0}, "", Trust::all);
    size_t put_back = 0, waits = 0;
    for (const Mutant& mutant : mutants_of(patient.kernel())) {
      // Of a wait the instruction stays, and waits for nothing.
      const bool of_a_wait = mutant.change == "vmcnt-drop" || mutant.change == "lgkmcnt-drop";
      if (mutant.change != "barrier-drop" && mutant.change != "nop-drop" && !of_a_wait) continue;
      const std::string list = fmt::format("{},{}+{:#x}:before:{}", mutant.id, patient.kernel().name,
                                           mutant.offset, mutant.instruction);
      CAPTURE(list);
      const Observation copy = patient.observe({"eager", 0}, list, Trust::all);
      CHECK(copy.outputs == original.outputs);
      CHECK(copy.reports.empty());
      CHECK(patient.clocks(0, list) == clocks);
      ++put_back;
      waits += of_a_wait;
    }
    CHECK(waits > 0);
    CHECK(put_back > waits);
  }
}
