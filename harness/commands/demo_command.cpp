#include "harness/accuracy/accuracy_case.hpp"
#include "harness/commands/case_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/output/interruption.hpp"
#include "harness/report/demo_table.hpp"
#include "harness/report/terminal.hpp"
#include "interface/installation.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

// A demo without the figure (no matplotlib) is still a demo, so its absence is said and not an error.
void draw(const std::filesystem::path& results, const std::filesystem::path& output) {
  // Debian's matplotlib is seen by Debian's Python, which need not be the first one on PATH.
  const std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' --output '{}'",
                  project_path("analysis/error_figure.py").string(), results.string(), output.string());
  if (std::system(command.c_str()) == 0)
    fmt::print(stderr, "figure: {}\n", output.string());
  else
    fmt::print(stderr, "no figure: {} failed\n", command);
}

} // namespace

void add_demo_command(Command program, int& exit_code) {
  // Of an installation nobody writes into its own folders.
  auto folder = std::make_shared<std::string>();
  Command command = program.command(
      "demo",
      "A scaled-down batch of a real trace through every implementation: table and figure; ./fmha950 demo "
      "makes an HTML report of them too");
  command.option(
      "--results", *folder,
      "Where demo.jsonl and demo.png are written, by ./fmha950 demo also demo.html (default: results of the "
      "checkout, of an installation in this folder)");
  command.run([folder, &exit_code] {
    if (folder->empty()) *folder = installed_share().empty() ? project_path("results").string() : "results";
    std::filesystem::create_directories(*folder);
    const std::filesystem::path results = std::filesystem::path(*folder) / "demo.jsonl";
    CaseCommand cases("accuracy");
    cases.selection.lists = {"demo"};
    cases.implementation = "all";
    cases.output.file = results.string();
    cases.output.overwrite = true;
    cases.output.resumable = false;
    cases.output.brief = true;
    cases.table = std::make_shared<DemoTable>(stdout);
    print_wrapped(
        stdout,
        fmt::format("Requests of recorded serving traces, scaled down, run on {} and compared with the "
                    "float64 oracle: of each case the implementations with the least and the largest "
                    "error. `./fmha950 accuracy --list demo --impl all` has all of them.",
                    hip::runtime().device));
    exit_code = run_accuracy(cases, AccuracyOptions{});
    if (interrupting_signal() != 0) return;
    fmt::print(stderr, "results: {}\n", results.string());
    draw(results, std::filesystem::path(*folder) / "demo.png");
  });
}

} // namespace fmha950::harness
