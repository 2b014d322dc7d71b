// analysis/ratios.py gives the ratios of harness/perf/modelled_time.hpp, and figures draw their ends.
#include "harness/perf/clock_law.hpp"
#include "harness/perf/modelled_time.hpp"
#include "harness/record/record.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// `slower`: under `lds128` and under `barrier40`.
Modelled modelled_of(double clocks, double matrix, std::array<double, 2> slower,
                     std::optional<double> sampling_error) {
  ModelledLaunch launch;
  launch.kernel = "attention";
  launch.clocks = clocks;
  launch.occupied = 1;
  launch.sampling_error = sampling_error;
  launch.busy = {{"matrix", matrix}, {"valu", 0.9 - matrix}, {"lds", 0}};
  launch.matrix = {{"bf16", matrix}};
  launch.assumed = {{std::string(assumed_clock_laws[0].words), slower[0], launch.busy, launch.matrix},
                    {std::string(assumed_clock_laws[2].words), slower[1], launch.busy, launch.matrix}};
  return {.flops = 1e12, .launches = {launch}, .matrix_peak = 8192 * 256, .tile_flops = 1e12};
}

// baseline and pipelined, of two lengths; each length moves under an assumption of its own.
const std::vector<Modelled> baselines{modelled_of(2e6, 0.7, {1.3, 1}, 0.01),
                                      modelled_of(8e6, 0.7, {1, 1.3}, 0.02)};
std::vector<Modelled> pipelined(std::optional<double> sampling_error) {
  return {modelled_of(1e6, 0.3, {1, 1.1}, 0.03), modelled_of(5e6, 0.3, {1.1, 1}, sampling_error)};
}

std::string line_of(const char* implementation, int length, double error, const Modelled& modelled) {
  Record record;
  record.command = "perf";
  const std::string n = std::to_string(length);
  record.case_string =
      "batch_prefill/h=6:1/sq=" + n + "/sk=" + n + "/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";
  record.requested = record.resolved = implementation;
  record.outcome = Outcome::passed();
  record.accuracy = AccuracyResult{};
  record.accuracy->verdict.kernel.relative_l2 = error;
  record.modelled = modelled;
  return to_json(record).dump() + "\n";
}

std::string lines_of(const std::vector<Modelled>& faster) {
  std::string lines;
  for (size_t i = 0; i < faster.size(); ++i) {
    const int length = i == 0 ? 1024 : 2048;
    lines += line_of("baseline", length, 0.01, baselines[i]) + line_of("pipelined", length, 0.02, faster[i]);
  }
  return lines;
}

// What `program` prints of `runs`, the four records in the order of lines_of().
std::string printed(const std::string& lines, const std::string& program) {
  const TemporaryFolder folder;
  const auto script =
      folder.write("script.py", "import sys\nsys.path.insert(0, sys.argv[1])\n"
                                "import modelled, palette, ratios, records\n"
                                "from figures import pareto, speedup\n"
                                "palette.use('light')\n"
                                "runs = modelled.runs(records.read(sys.argv[2]))\n"
                                "def ends(figure, axis):\n"
                                "    for line in figure.axes[0].lines:\n"
                                "        if line.get_label().startswith('_ends'):\n"
                                "            yield line.get_label(), *getattr(line, f'get_{axis}data')()\n"
                                "def texts(figure):\n"
                                "    return [text.get_text() for text in figure.axes[0].texts]\n" +
                                    program);
  const Finished ran = python(quoted(script) + " " + quoted(std::filesystem::path(source_path("analysis"))) +
                              " " + quoted(folder.write("r.jsonl", lines)));
  INFO(ran.output);
  REQUIRE(ran.status == 0);
  return ran.output;
}

std::vector<double> numbers_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; words >> word;)
    if (word.find_first_not_of("0123456789.e+-") == word.npos) numbers.push_back(std::stod(word));
  return numbers;
}

void check_numbers(const std::string& text, const std::vector<double>& expected) {
  INFO(text);
  const std::vector<double> found = numbers_of(text);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]));
}

} // namespace

TEST_CASE("analysis: ratios and their means are those of the harness") {
  const std::vector<Modelled> faster = pipelined(0.04);
  const Range to_baseline = mean_of({speed_of(faster[0], baselines[0]), speed_of(faster[1], baselines[1])});
  const Range to_measured = mean_of({speed_of(faster[0], 500), speed_of(faster[1], 100)});
  // Each length alone has wider ends: no world has both.
  CHECK(to_baseline.high < std::sqrt(mean_of({speed_of(faster[0], baselines[0])}).high *
                                     mean_of({speed_of(faster[1], baselines[1])}).high) *
                               0.97);
  const std::string program = "for pairs in ([(runs[1], runs[0]), (runs[3], runs[2])],\n"
                              "              [(runs[1], 500.0), (runs[3], 100.0)]):\n"
                              "    mean = ratios.mean(pairs)\n"
                              "    print(mean.best, mean.low, mean.high, mean.verdict)\n";
  const std::string found = printed(lines_of(faster), program);
  check_numbers(found, {to_baseline.best, to_baseline.low, to_baseline.high, to_measured.best,
                        to_measured.low, to_measured.high});
  CHECK_THAT(found, Catch::Contains(verdict_of(to_baseline)) && Catch::Contains(verdict_of(to_measured)));
  const std::string unknown = printed(lines_of(pipelined({})), program + "print(mean.ends)\n");
  CHECK_THAT(unknown, Catch::Contains(" ?\n") && !Catch::Contains("ahead") && !Catch::Contains("behind"));
}

TEST_CASE("figures: speed-up and error against speed have ends") {
  const std::vector<Modelled> faster = pipelined(0.04);
  const Range first = mean_of({speed_of(faster[0], baselines[0])}),
              second = mean_of({speed_of(faster[1], baselines[1])});
  const std::string of_ratios =
      printed(lines_of(faster), "for end in ends(speedup.draw(runs), 'y'): print(*end)\n");
  check_numbers(of_ratios, {first.low, first.high, second.low, second.high});
  CHECK(of_ratios.find("baseline") == of_ratios.npos); // which the others are compared with
  // One case is shown: the first, as they are equally long.
  const Range slow = teraflops_of(baselines[0]), fast = teraflops_of(faster[0]);
  check_numbers(printed(lines_of(faster), "for end in ends(pareto.draw(runs), 'x'): print(*end)\n"),
                {slow.low, slow.high, fast.low, fast.high});
}

TEST_CASE("figures: ends that lack the sampling error are marked") {
  const std::string program = "print(texts(speedup.draw(runs)), texts(pareto.draw(runs[2:])))\n";
  CHECK_THAT(printed(lines_of(pipelined(0.04)), program), !Catch::Contains("?"));
  CHECK_THAT(printed(lines_of(pipelined({})), program),
             Catch::Contains("['?', ") && Catch::Contains("['?']"));
}
