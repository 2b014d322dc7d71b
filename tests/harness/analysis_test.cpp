// The Python programs of analysis/ on records as the harness writes them.
#include "harness/record/record.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Finished run(const std::string& program, const std::filesystem::path& results,
             const std::filesystem::path& output) {
  return analysis(program + " " + quoted(results) + " --output " + quoted(output));
}

Record judged(const std::string& case_string, double relative, OutcomeKind kind) {
  Record record;
  record.command = "accuracy";
  record.case_string = case_string;
  record.requested = "all";
  record.resolved = "prepass";
  record.outcome =
      kind == OutcomeKind::passed ? Outcome::passed() : Outcome::failed(kind, "rmse <too> large & more");
  record.probability = ProbabilityRounding{.type = ElementType::fp8, .shift = 8, .weighted = true};
  AccuracyResult accuracy;
  accuracy.verdict.kernel.relative_l2 = relative;
  accuracy.verdict.kernel.rmse = relative / 4;
  accuracy.verdict.limits = {{"rmse", relative / 4, 0.001, ""}};
  accuracy.quantisation = ErrorMetrics{};
  accuracy.quantisation->relative_l2 = 0.03;
  record.accuracy = accuracy;
  record.environment.device = "gfx950 (embedded)";
  record.reproduce = "./fmha950 accuracy '" + case_string + "'";
  return record;
}

// Three buckets of rows, one tile that nobody sees; the failed one names a tile.
Record audited(Record record) {
  AccuracyResult& accuracy = *record.accuracy;
  const bool failed = record.outcome.is_failure();
  const double unseen = std::nan("");
  accuracy.audit_curves.tiles = {{-9, {0.01, failed ? 0.3 : 0, unseen}, {0.01, 0.01, unseen}},
                                 {-8, {0.1, 0.2, -0.2}, {0.1, 0.1, 0.1}},
                                 {-7, {0.9, 2, -2}, {0.2, 0.2, 0.2}}};
  accuracy.verdict.limits.push_back({"audit", failed ? 0.3 : 0.01, 0.06, "keys 64-127"});
  if (!failed) return record;
  accuracy.verdict.audit.findings = {{.place = {.request = 0, .kv_head = 0, .first_key = 64, .last_key = 128},
                                      .share = 0.3,
                                      .sigma = 0.01,
                                      .text = "keys 64-127 (request 0, KV head 0): V weighs 1.30"}};
  return record;
}

std::string lines_of(const std::vector<Record>& records) {
  std::string lines;
  for (const Record& record : records) lines += to_json(record).dump() + "\n";
  return lines;
}

} // namespace

TEST_CASE("the figure and the report are made from the harness's own records") {
  const TemporaryFolder folder;
  std::vector<Record> records{
      judged("batch_prefill/h=8:1/sq=64/sk=64/d=128", 0.002, OutcomeKind::passed),
      judged("batch_prefill/h=8:1/sq=64/sk=64/d=128/kv=fp8/quant=page", 0.5, OutcomeKind::inaccurate)};
  Record unsupported = judged("batch_prefill/h=8:1/sq=64/sk=64/d=64", 0, OutcomeKind::unsupported);
  unsupported.accuracy.reset();
  records.push_back(unsupported);
  const auto results = folder.write("results.jsonl", lines_of(records));

  const auto figure = folder.path() / "figure.png";
  const Finished drawn = run("error_figure.py", results, figure);
  INFO(drawn.output);
  CHECK(drawn.status == 0);
  CHECK(contents(figure).starts_with("\x89PNG"));

  const auto page = folder.path() / "report.html";
  const Finished reported = run("report.py", results, page);
  INFO(reported.output);
  CHECK(reported.status == 0);
  const std::string html = contents(page);
  CHECK(html.find("1 passed, 1 inaccurate, 1 unsupported") != html.npos);
  CHECK(html.find("12500%") != html.npos); // 0.125 of a limit of 0.001
  CHECK(html.find("<td>rmse</td>") != html.npos);
  CHECK(html.find("fp8, weighted, sum unrounded") != html.npos);
  CHECK(html.find("figure-audit") == html.npos); // nothing was audited
  CHECK(html.find("rmse &lt;too&gt; large &amp; more") != html.npos);
  CHECK(html.find("src=\"http") == html.npos); // self-contained
}

TEST_CASE("the audit's tiles are drawn over the keys, with the part that failed") {
  const TemporaryFolder folder;
  const std::string one = "batch_prefill/h=8:1/sq=64/sk=192/d=128", other = one + "/causal=1";
  const std::vector<Record> records{audited(judged(one, 0.002, OutcomeKind::passed)),
                                    audited(judged(one, 0.002, OutcomeKind::inaccurate)),
                                    audited(judged(other, 0.002, OutcomeKind::passed))};
  const auto results = folder.write("results.jsonl", lines_of(records));
  const auto figure = folder.path() / "audit.svg";
  const Finished drawn = run("audit_figure.py", results, figure);
  INFO(drawn.output);
  REQUIRE(drawn.status == 0);
  const std::string svg = contents(figure);
  const auto shows = [&](const std::string& text) { return svg.find("<!-- " + text) != svg.npos; };
  CHECK(shows("keys 64-127 (request 0, KV head 0): V weighs 1.30 (z = 30.0) -->"));
  CHECK(shows("2^-9 -->"));
  CHECK(shows("2^-8 -->"));
  CHECK_FALSE(shows("2^-7 -->")); // six sigma are more than 100 %
  CHECK(shows("a part of these keys failed -->"));
  CHECK(shows(other));

  const auto page = folder.path() / "report.html";
  const Finished reported = run("report.py", results, page);
  INFO(reported.output);
  CHECK(reported.status == 0);
  CHECK(contents(page).find("figure-audit") != std::string::npos);
  CHECK(contents(page).find("500%</td><td>audit</td>") != std::string::npos);

  const auto chosen =
      python("-c 'import sys; sys.path.insert(0, \"" + source_path("analysis") +
             "\"); import audit_figure, records\n"
             "print([r.outcome for r in audit_figure.worth_drawing(records.read(sys.argv[1]))])' " +
             quoted(results));
  CHECK(chosen.output == "['inaccurate', 'passed']\n"); // of each case the worst

  const auto plain = folder.write("plain.jsonl", lines_of({judged(one, 0.002, OutcomeKind::passed)}));
  const Finished refused = run("audit_figure.py", plain, figure);
  CHECK(refused.status != 0);
  CHECK_THAT(refused.output, Catch::Contains("no result has an audit"));
}

TEST_CASE("result files that cannot be used are refused with file and line") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto file = folder.write("r.jsonl", text);
    const Finished finished = python("-c 'import sys; sys.path.insert(0, \"" + source_path("analysis") +
                                     "\"); import records\n"
                                     "try: records.read(sys.argv[1])\n"
                                     "except records.BadRecord as error: print(error)' '" +
                                     file.string() + "'");
    return finished.output.substr(0, finished.output.find('\n'));
  };
  const std::string name = (folder.path() / "r.jsonl").string();
  CHECK(refusal("") == name + ": holds no records");
  CHECK(refusal("{\"schema\":3,\"case\":\"x\"}\n") == name + ":1: lacks the key 'requested'");
  for (const std::string old : {"1", "2"})
    CHECK(refusal("{\"schema\":" + old + "}\n") ==
          name + ":1: schema = " + old +
              ": this program reads 3 (docs/results.md); make the record anew with the command "
              "in its `reproduce`");
  CHECK_THAT(refusal("\n{\"schema\":\n"), Catch::StartsWith(name + ":2: is not JSON"));

  const Finished finished = run("error_figure.py", folder.path() / "r.jsonl", folder.path() / "f.png");
  CHECK(finished.status != 0);
  CHECK_THAT(finished.output, Catch::StartsWith("error_figure.py: " + name + ":2: is not JSON"));
}
