// The figures and the page of modelled performance, from the harness's own records.
#include "harness/record/record.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// Modelled with twice the clocks of implementation 0 for implementation 1, and so on.
Record modelled(const std::string& case_string, const std::string& implementation, double flops,
                int slowness) {
  Record record;
  record.command = "perf";
  record.case_string = case_string;
  record.requested = record.resolved = implementation;
  record.variant = implementation + "/<variant>";
  record.outcome = Outcome::passed();
  AccuracyResult accuracy;
  accuracy.verdict.kernel.relative_l2 = 0.02 / slowness;
  accuracy.verdict.kernel.rmse = 0.005 / slowness;
  accuracy.verdict.limits = {{"rmse", 0.005 / slowness, 0.01, ""}};
  accuracy.audit_curves.tiles = {{-8, {0.001, -0.002, 0.003}, {0.004, 0.004, 0.005}}};
  accuracy.quantisation = ErrorMetrics{};
  accuracy.quantisation->relative_l2 = 0.03;
  record.accuracy = accuracy;
  const double clocks = flops / 4e6 * slowness;
  record.modelled = Modelled{
      .flops = flops,
      .launches = {{.kernel = "prologue",
                    .workgroups = 16,
                    .sampled = 1,
                    .resident = 8,
                    .clocks = clocks / 10,
                    .occupied = 0.1,
                    .sampling_error = 0.0,
                    .busy = {{"valu", 0.2}},
                    .spent = {{"issue", 0.4}, {"vmcnt", 0.6}},
                    .matrix = {},
                    .bytes = {{"l2", 1e4}},
                    .assumed = {}},
                   {.kernel = "attention",
                    .workgroups = 128,
                    .sampled = 3,
                    .resident = 2,
                    .clocks = clocks,
                    .occupied = 0.9,
                    .sampling_error = 0.05,
                    .busy = {{"matrix", 0.6}, {"valu", 0.5}, {"lds", 0.2}, {"vmem", 0.1}},
                    .spent = {{"issue", 0.4},
                              {"matrix_busy", 0.2},
                              {"valu_busy", 0.1},
                              {"barrier", 0.2},
                              {"lgkmcnt", 0.06},
                              {"unheard_of", 0.04}},
                    .matrix = {{"bf16", 0.0}, {"f8f6f4", 0.6}},
                    .bytes = {{"l1", flops / 300}, {"l2", flops / 600}, {"mall", flops / 1000}, {"hbm", 0.0}},
                    .assumed = {}}},
      .matrix_peak = 8192 * 256,
      .tile_flops = flops};
  record.environment.device = "gfx950 (embedded)";
  record.reproduce = "./fmha950 perf '" + case_string + "'";
  return record;
}

const std::string seed =
    "batch_prefill/h=6:1/sq=1024/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";

// Lengths, pages and a second operator, so that every figure has something to show.
std::string lines() {
  std::string text;
  for (const char* implementation : {"baseline", "pipelined", "somebody_elses"}) {
    const int slowness = implementation[0] == 'b' ? 3 : implementation[0] == 'p' ? 1 : 2;
    for (const int n : {1024, 2048}) {
      const std::string length = std::to_string(n);
      const std::string head =
          "batch_prefill/h=6:1/sq=" + length + "/sk=" + length + "/d=128/q=fp8/kv=fp8/quant=tensor/";
      for (const char* pages : {"page=1/", "page=64/", "page=1/paged=0/"})
        text += to_json(modelled(head + pages + "causal=1", implementation, 1.5e3 * n * n, slowness)).dump() +
                "\n";
    }
    text += to_json(modelled("sparse_prefill/h=64/n=256/pool=1024/chunk=1024/kv=fp8", implementation, 1e10,
                             slowness))
                .dump() +
            "\n";
  }
  return text;
}

// Two waves that repeat four matrix instructions five times, and wait between.
std::string timeline() {
  nlohmann::json trace{{"otherData", {{"kernel", "attention"}}}, {"traceEvents", nlohmann::json::array()}};
  const char* rows[] = {"workgroup 0 wave 0 SIMD 0", "workgroup 0 wave 1 SIMD 1", "SIMD 0 matrix",
                        "SIMD 0 valu"};
  for (int row = 0; row < 4; ++row) {
    trace["traceEvents"].push_back(
        {{"ph", "M"}, {"pid", 0}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", rows[row]}}}});
    for (int i = 0; i < 20; ++i) {
      const std::string instruction = "v_mfma v[" + std::to_string(i % 4) + "]";
      if (row < 2)
        trace["traceEvents"].push_back({{"ph", "X"},
                                        {"pid", 0},
                                        {"tid", row},
                                        {"ts", 100 * i + 10 * row + 40},
                                        {"dur", 60},
                                        {"name", i % 2 ? "barrier" : "a_reason_of_tomorrow"},
                                        {"cat", "wait"},
                                        {"args", {{"instruction", instruction}}}});
      trace["traceEvents"].push_back({{"ph", "X"},
                                      {"pid", 0},
                                      {"tid", row},
                                      {"ts", 100 * i + 10 * row},
                                      {"dur", 40},
                                      {"name", "v_mfma"},
                                      {"cat", row == 3 ? "valu" : "matrix"},
                                      {"args", {{"instruction", instruction}}}});
    }
  }
  return trace.dump();
}

} // namespace

TEST_CASE("every figure of modelled performance is drawn, light, dark and as SVG") {
  const TemporaryFolder folder;
  const auto results = folder.write("perf.jsonl", lines());
  for (const char* theme : {"light", "dark"}) {
    const auto output = folder.path() / theme;
    std::filesystem::create_directory(output);
    const Finished drawn = analysis("perf_figures.py " + quoted(results) + " --figure all --theme " + theme +
                                    " --output " + quoted(output));
    INFO(drawn.output);
    CHECK(drawn.status == 0);
    for (const char* name : {"bars", "speedup", "roofline", "pareto", "stalls", "energy", "paging"}) {
      CAPTURE(name);
      CHECK(contents(output / (std::string(name) + ".png")).starts_with("\x89PNG"));
    }
  }
  CHECK(contents(folder.path() / "light" / "bars.png") != contents(folder.path() / "dark" / "bars.png"));

  const auto figure = folder.path() / "roofline.svg";
  const Finished drawn =
      analysis("perf_figures.py " + quoted(results) + " --figure roofline --output " + quoted(figure));
  INFO(drawn.output);
  CHECK(drawn.status == 0);
  const std::string svg = contents(figure);
  CHECK(svg.find("var(--ink") != svg.npos);
  CHECK(svg.find("prefers-color-scheme: dark") != svg.npos);
  // What the mouse on a point says, and the list of the numbers beside the points.
  CHECK_THAT(svg, Catch::Contains(" FLOP per byte\nbatch_prefill/"));
  CHECK_THAT(svg, Catch::Contains("<!-- 1: batch_prefill/"));
}

TEST_CASE("two iterations of a loop are found in a timeline and drawn") {
  const TemporaryFolder folder;
  const auto trace = folder.write("timeline.json", timeline());
  const Finished window = python("-c 'import sys; sys.path.insert(0, \"" + source_path("analysis") +
                                 "\"); import timeline\n"
                                 "print(timeline.two_iterations(timeline.read(sys.argv[1])))' " +
                                 quoted(trace));
  CHECK(window.output == "(600, 1400)\n"); // instructions 6 to 14 of the first wave
  for (const char* name : {"t.png", "t.svg"}) {
    const Finished drawn =
        analysis("timeline_figure.py " + quoted(trace) + " --output " + quoted(folder.path() / name));
    INFO(drawn.output);
    CHECK(drawn.status == 0);
    CHECK(std::filesystem::file_size(folder.path() / name) > 5'000);
  }
  const std::string svg = contents(folder.path() / "t.svg");
  for (const char* text :
       {"wave 1, SIMD 1", "SIMD 0 VALU", "units, issues", "waits, lower lines", "branch and other"}) {
    CAPTURE(text); // matplotlib writes a text in front of its glyphs
    CHECK(svg.find("<!-- " + std::string(text) + " -->") != svg.npos);
  }
  CHECK(svg.find("<!-- 40% -->") != svg.npos); // of a wave's clocks it issues
}

TEST_CASE("the report holds every number, and shows it in headless Chromium, light and dark") {
  const TemporaryFolder folder;
  const auto results = folder.write("perf.jsonl", lines());
  const auto calibration = folder.write("calibration.txt", "mean absolute error <of GEMMs>: 6.1 %\n");
  const auto trace = folder.write("timeline.json", timeline());
  const auto source = folder.write("source.txt", "modelled: where the waves of attention spent 9 clocks\n"
                                                 "   share     clocks  source line or instruction\n"
                                                 "  90.0 %          8  kernel.hpp:12\n"
                                                 "  90.0 %          8      s_barrier\n");
  const auto commands = folder.write("commands.txt", "./fmha950 perf --list report\n");
  const auto page = folder.path() / "report.html";
  const Finished made = analysis("report.py " + quoted(results) + " --calibration " + quoted(calibration) +
                                 " --timeline " + quoted(trace) + " --source " + quoted(source) +
                                 " --commands " + quoted(commands) + " --output " + quoted(page));
  INFO(made.output);
  REQUIRE(made.status == 0);
  const std::string html = contents(page);
  for (const char* text : {"Modelled, not measured", "error &lt;of GEMMs&gt;: 6.1 %", "kernel.hpp:12",
                           "./fmha950 perf --list report", "pipelined/&lt;variant&gt;", "gfx950 (embedded)",
                           "somebody_elses", "measured TFLOP/s", "47.7", "of the matrix peak",
                           "Register bank conflicts", "vector addresses busy", "MB of Infinity Cache"}) {
    CAPTURE(text);
    CHECK(html.find(text) != html.npos);
  }
  CHECK(html.find("s_barrier</pre>") == html.npos);
  CHECK(html.find("MB of HBM") == html.npos); // which served nothing
  for (const std::string look : {"light 1280", "dark 1280", "light 420", "dark 420"}) {
    const Finished seen =
        python(source_path("tests/harness/open_page.py") + " " + quoted(page) + " " + look +
               " performance numbers measured stalls timeline accuracy results model environment reproduce");
    INFO(look << ": " << seen.output);
    if (seen.status == 77)
      WARN("not opened: " << seen.output);
    else
      CHECK(seen.output ==
            std::string(look).replace(look.find(' '), 1, ", ") + ": 10 sections, 10 figures\n");
  }
}

TEST_CASE("what no figure can be made of is refused with a reason") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const std::string& text, const std::string& command) {
    const auto file = folder.write(name, text);
    const Finished finished =
        analysis(command + " " + quoted(file) + " --output " + quoted(folder.path() / "f.png"));
    CHECK(finished.status != 0);
    return finished.output;
  };
  Record plain = modelled(seed, "baseline", 1e9, 1);
  plain.modelled.reset();
  const std::string unmodelled = to_json(plain).dump() + "\n";
  nlohmann::ordered_json broken = to_json(modelled(seed, "baseline", 1e9, 1));
  broken["modelled"].erase("launches");
  const std::string perf = "perf_figures.py --figure bars", name = (folder.path() / "r").string();
  CHECK(refusal("r", "", perf) == "perf_figures.py: " + name + ": holds no records\n");
  CHECK(refusal("r", "", "report.py") == "report.py: " + name + ": holds no records\n");
  CHECK(refusal("r", unmodelled, perf) ==
        "perf_figures.py: no record has modelled values: ./fmha950 perf makes them\n");
  CHECK(refusal("r", broken.dump() + "\n", perf) ==
        "perf_figures.py: " + seed + ": modelled lacks launches\n");
  CHECK(refusal("r", broken.dump() + "\n", "report.py") ==
        "report.py: " + seed + ": modelled lacks launches\n");
  CHECK(refusal("r", to_json(modelled(seed, "baseline", 1e9, 1)).dump() + "\n",
                "perf_figures.py --figure paging")
            .starts_with("perf_figures.py: " + name + ": no cases for the figure 'paging'"));
  CHECK_THAT(refusal("t", "{", "timeline_figure.py"),
             Catch::Contains("is not JSON") && Catch::StartsWith("timeline_figure.py: "));
  CHECK_THAT(refusal("t", "{\"traceEvents\":[]}", "timeline_figure.py"), Catch::Contains("has no slices"));
  CHECK_THAT(refusal("t", "{\"a\":1}", "timeline_figure.py"), Catch::Contains("is no timeline"));
}

TEST_CASE("a page of records without modelled values says so") {
  const TemporaryFolder folder;
  Record plain = modelled(seed, "baseline", 1e9, 1);
  plain.modelled.reset();
  const auto page = folder.path() / "accuracy.html";
  const Finished made =
      analysis("report.py " + quoted(folder.write("a.jsonl", to_json(plain).dump() + "\n")) + " --output " +
               quoted(page));
  INFO(made.output);
  CHECK(made.status == 0);
  CHECK(contents(page).find("None has modelled performance") != std::string::npos);
  CHECK(contents(page).find("id=\"performance\"") == std::string::npos);
}
