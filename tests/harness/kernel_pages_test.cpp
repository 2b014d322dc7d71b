// The pages of kernels beside a report, and the commands that they are made from.
#include "tests/harness/opened_page.hpp"
#include "tests/harness/program.hpp"
#include "tests/harness/report_inputs.hpp"

#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

const std::string sections = "launches timeline stalls resources loops mutants";

// One run whose second kernel is a code object's of this build, and one of kernels that nobody knows.
std::string two_runs() {
  Record known = modelled(seed, "prepass", 1e9, 1);
  known.variant = "prepass_attention_bf16";
  known.modelled->launches[1].kernel = "attention_forward";
  Record foreign = modelled(seed, "somebody_elses", 1e9, 2);
  return to_json(known).dump() + "\n" + to_json(foreign).dump() + "\n";
}

std::string steps(const std::filesystem::path& folder, const std::string& options) {
  const Finished listed = analysis("kernel_steps.py " + quoted(folder / "perf.jsonl") + " --folder " +
                                   quoted(folder) + " " + options);
  CHECK(listed.status == 0);
  return listed.output;
}

// `what`: of files, an implementation with what tells its second trace from the first.
std::string trace_step(const std::filesystem::path& folder, const std::string& implementation,
                       const std::string& what = "", const std::string& case_string = seed) {
  return fmt::format("source.{0}{1}.txt\ttrace\t{2}\t--impl\t{0}\t--timeline\t{3}/timeline.{0}{1}.json\t"
                     "--overwrite\t--source\n",
                     implementation, what, case_string, folder.string());
}

// A report, and in the folder beside it what is known of one kernel, and its page and those of the others.
std::filesystem::path report_beside(const TemporaryFolder& folder) {
  const auto beside = folder.path() / "report";
  std::filesystem::create_directory(beside);
  const auto write = [&](const std::string& name, const std::string& text) {
    folder.write("report/" + name, text);
  };
  write("perf.jsonl", two_runs());
  write("timeline.prepass.attention_forward.json", timeline("attention_forward"));
  write("source.prepass.txt",
        "modelled: where the waves of attention_forward spent 9000 clocks, by source line\n"
        "   share     clocks    issues  waits, of these clocks   source line or instruction\n"
        "  90.0 %       8100       160  barrier 99 %             waits.hpp:12\n"
        "  90.0 %       8100       160  barrier 99 %                 s_barrier\n");
  write("loops.prepass_attention_bf16.attention_forward.txt",
        joined(run_fmha950("device --loops " CODE_OBJECTS "/prepass_attention_bf16.co").out));
  write("ledger.prepass_attention_bf16.txt",
        "killed     attention_forward+0x28:lgkmcnt+1  (prepass_attention_bf16/attention_forward)\n"
        "           a.hip:18: s_waitcnt lgkmcnt(0)\n"
        "           register_in_flight\n"
        "           schedule eager, \n"
        "undecided  attention_forward+0x30:num_records  (prepass_attention_bf16/attention_forward)\n"
        "           a.hip:19: buffer_load_dword v1\n"
        "           offsets are <not> known\n"
        "killed     other+0x28:lgkmcnt+1  (prepass_attention_bf16/other)\n"
        "           a.hip:18: s_waitcnt lgkmcnt(0)\n"
        "unmutated  prepass_attention_bf16/attention_forward: 20 schedules x 3 problems, no report\n"
        "2 killed, 0 equivalent, 1 undecided, 0 survived\n");
  const auto report = folder.path() / "report.html";
  const Finished made =
      analysis("report.py " + quoted(beside / "perf.jsonl") + " --kernels " + quoted(beside) +
               " --code-objects " CODE_OBJECTS " --output " + quoted(report));
  INFO(made.output);
  REQUIRE(made.status == 0);
  return report;
}

void check_says(const std::string& html, std::initializer_list<const char*> texts) {
  for (const char* text : texts) CHECK_THAT(html, Catch::Contains(text));
}

} // namespace

TEST_CASE("the commands that the pages of kernels are made from") {
  const TemporaryFolder folder;
  folder.write("perf.jsonl", two_runs());
  const std::string traces =
      trace_step(folder.path(), "prepass") + trace_step(folder.path(), "somebody_elses");
  CHECK(steps(folder.path(), "") == traces);
  // Nobody knows the code object of `prologue`, nor of what is somebody else's.
  CHECK(steps(folder.path(), "--traces leading --code-objects " CODE_OBJECTS) ==
        trace_step(folder.path(), "prepass") +
            "loops.prepass_attention_bf16.attention_forward.txt\tdevice\t--loops\t" CODE_OBJECTS
            "/prepass_attention_bf16.co\t--waves-per-simd\t4\n"
            "ledger.prepass_attention_bf16.txt\tprobe\t--ledger\tprepass_attention_bf16\n");

  // A kernel that no implementation's first case launches: of its cases the one with the fewest clocks.
  std::string lines = two_runs();
  for (const char* name : {"long", "short", "middle"}) {
    Record later = modelled(name, "somebody_elses", 1e9, *name == 'l' ? 4 : *name == 's' ? 2 : 3);
    later.modelled->launches[0].kernel = "another_prologue";
    later.modelled->launches[1].kernel = "another";
    lines += to_json(later).dump() + "\n";
  }
  folder.write("perf.jsonl", lines);
  CHECK(steps(folder.path(), "") == traces + trace_step(folder.path(), "somebody_elses", ".case3", "short"));
  CHECK(steps(folder.path(), "--traces none").empty());

  Record plain = modelled(seed, "baseline", 1e9, 1);
  plain.modelled.reset();
  folder.write("perf.jsonl", to_json(plain).dump() + "\n");
  CHECK(steps(folder.path(), "").empty());
}

TEST_CASE("kernels of manifests are traced by their folders and known by their own objects") {
  const TemporaryFolder folder;
  const std::filesystem::path objects = folder.path() / "objects";
  std::filesystem::create_directory(objects);
  // Named as one of this build, of which it is another one.
  std::filesystem::copy_file(CODE_OBJECTS "/prepass_attention_bf16.co",
                             objects / "prepass_attention_fp16.co");
  folder.write("objects/mine.json", R"({"name": "mine"})");
  folder.write("objects/broken.json", "{");
  Record external = modelled(seed, "external:mine", 1e9, 1);
  external.variant = "gather+prepass_attention_fp16.co/attention_forward";
  external.modelled->launches[0].kernel = "gather";
  external.modelled->launches[1].kernel = "attention_forward";
  folder.write("perf.jsonl", to_json(external).dump() + "\n");
  std::string trace = trace_step(folder.path(), "external:mine");
  trace.insert(trace.size() - 1, "\t--external\t" + objects.string());
  CHECK(steps(folder.path(), "--external " + quoted(objects) + " --code-objects " CODE_OBJECTS) ==
        trace +
            "loops.external_conversions.gather.txt\tdevice\t--loops\t" CODE_OBJECTS
            "/external_conversions.co\t--waves-per-simd\t8\n"
            "loops.external:mine:prepass_attention_fp16.attention_forward.txt\tdevice\t--loops\t" +
            objects.string() + "/prepass_attention_fp16.co\t--waves-per-simd\t4\n");
  // Without the folder nobody knows its object, and none of this build is taken for it.
  CHECK_THAT(steps(folder.path(), "--code-objects " CODE_OBJECTS), !Catch::Contains("attention_forward"));
}

TEST_CASE("a kernel's page says what is known of it, and what is not") {
  const TemporaryFolder folder;
  const std::string report = contents(report_beside(folder));
  check_says(report, {"href=\"report/kernel_prepass_attention_bf16.attention_forward.html\"",
                      "href=\"report/kernel_prepass.prologue.html\"", "waits.hpp:12"});

  const std::string known =
      contents(folder.path() / "report" / "kernel_prepass_attention_bf16.attention_forward.html");
  check_says(known,
             {"href=\"../report.html#kernels\"", "Modelled, not measured", "Two iterations, clock by clock",
              "<td class=\"place\">waits.hpp:12</td>", "s_barrier</pre>", "<td>VGPR</td>", "waves on a SIMD",
              "<td>wave issue</td>", "1 killed, 0 equivalent, 1 undecided, 0 survived",
              "offsets are &lt;not&gt; known", "20 schedules x 3 problems, no report"});
  CHECK_THAT(known, !Catch::Contains("class=\"missing\""));

  const std::string foreign = contents(folder.path() / "report" / "kernel_somebody_elses.attention.html");
  check_says(foreign, {"No timeline: its trace did not come to its end", "No table by source line: its trace",
                       "No resources: no code object", "No loop costs", "No ledger for this code object",
                       ("./fmha950 trace " + seed + " --impl somebody_elses").c_str()});
}

TEST_CASE("a kernel's page says why there is no timeline, and what makes one where something does") {
  const TemporaryFolder folder;
  const std::string perf = quoted(folder.write("perf.jsonl", two_runs()));
  const auto page = [&](const std::string& traces) {
    const Finished made =
        analysis("report.py " + perf + " --kernels " + quoted(folder.path()) + " --traces " + traces +
                 " --output " + quoted(folder.path() / "report.html"));
    INFO(made.output);
    CHECK(made.status == 0);
    return contents(folder.path() / "kernel_somebody_elses.attention.html");
  };
  const std::string command = "./fmha950 trace " + seed + " --impl somebody_elses";
  check_says(
      page("leading"),
      {"No timeline: this report traces the fastest implementation alone, on one case.", command.c_str()});
  const std::string untraceable = page("none");
  check_says(untraceable, {"No timeline: tensors of a folder cannot be traced."});
  CHECK_THAT(untraceable, !Catch::Contains(command));
}

TEST_CASE("the pages of kernels open in headless Chromium, light and dark, wide and narrow", "[slow]") {
  if (!chromium_found()) return;
  const TemporaryFolder folder;
  const auto report = report_beside(folder);
  check_opens(report, "kernels timeline", "11 sections, 8 figures");
  check_opens(folder.path() / "report" / "kernel_prepass_attention_bf16.attention_forward.html", sections,
              "6 sections, 1 figures");
  check_opens(folder.path() / "report" / "kernel_somebody_elses.attention.html", sections,
              "6 sections, 0 figures");
}
