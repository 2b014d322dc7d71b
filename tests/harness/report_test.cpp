// The figures and the page of modelled performance, from the harness's own records.
#include "tests/harness/opened_page.hpp"
#include "tests/harness/report_inputs.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// A page of all that report.py takes.
std::filesystem::path report_in(const TemporaryFolder& folder) {
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
  return page;
}

} // namespace

TEST_CASE("every figure of modelled performance is drawn, light, dark and as SVG", "[unsanitized]") {
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

TEST_CASE("implementations that the palette does not name have a style each") {
  const Finished styles = python("-c \"import sys; sys.path.insert(0, '" + source_path("analysis") +
                                 "'); import palette; names = ['external:n%d' % n for n in range(12)]; "
                                 "print(len({palette.style(name) for name in palette.known_first(names)}), "
                                 "palette.style('external:n3') == palette.style('external:n3'))\"");
  CHECK(styles.status == 0);
  CHECK(styles.output == "12 True\n");
}

TEST_CASE("the report holds every number") {
  const TemporaryFolder folder;
  const std::string html = contents(report_in(folder));
  for (const char* text : {"Modelled, not measured", "error &lt;of GEMMs&gt;: 6.1 %", "kernel.hpp:12",
                           "./fmha950 perf --list report", "pipelined/&lt;variant&gt;", "gfx950 (embedded)",
                           "somebody_elses", "measured TFLOP/s", "47.7", "of the matrix peak",
                           "Register bank conflicts", "vector addresses busy", "MB of Infinity Cache"}) {
    CAPTURE(text);
    CHECK(html.find(text) != html.npos);
  }
  CHECK(html.find("s_barrier</pre>") == html.npos);
  CHECK(html.find("MB of HBM") == html.npos); // which served nothing
}

TEST_CASE("the report opens in headless Chromium, light and dark, wide and narrow", "[unsanitized]") {
  if (!chromium_found()) return;
  const TemporaryFolder folder;
  check_opens(report_in(folder),
              "performance numbers measured stalls timeline accuracy results model environment reproduce",
              "10 sections, 10 figures");
}

TEST_CASE("what no figure can be made of is refused with a reason", "[unsanitized]") {
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
