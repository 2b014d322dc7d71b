#include "harness/report/printer.hpp"
#include "harness/report/terminal.hpp"

#include "tests/harness/printed.hpp"
#include "tests/support/catch.hpp"
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::vector<std::string> printed(OutputForm form, const std::vector<Record>& records) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  const auto printer = make_printer(form, file);
  for (const Record& record : records) printer->print(record);
  std::rewind(file);
  std::vector<std::string> lines(1);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += static_cast<char>(c);
  }
  lines.pop_back();
  std::fclose(file);
  return lines;
}

Record skipped() {
  Record record;
  record.case_string = "batch_prefill/sq=1,2";
  record.requested = "some";
  record.outcome = Outcome::failed(OutcomeKind::unsupported, "says \"no\"");
  return record;
}

Record passed() {
  Record record = skipped();
  record.resolved = "some";
  record.outcome = Outcome::passed(3);
  record.accuracy.emplace().verdict.limits = {{"element", 0.5, 1, ""}};
  return record;
}

size_t fields(const std::string& line) { // of CSV, commas inside quotes aside
  size_t count = 1;
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    count += c == ',' && !quoted;
  }
  return count;
}

} // namespace

TEST_CASE("CSV: one header, as many fields in every line, quoted where needed") {
  const auto lines = printed(OutputForm::csv, {skipped(), passed()});
  REQUIRE(lines.size() == 3);
  CHECK(fields(lines[0]) == fields(lines[1]));
  CHECK(fields(lines[0]) == fields(lines[2]));
  CHECK(lines[0].starts_with(
      "schema,command,case,requested,resolved,variant,external,p,p_weighted,sum,outcome,reason,"));
  CHECK(lines[1].find("\"batch_prefill/sq=1,2\"") != std::string::npos);
  CHECK(lines[1].find("\"says \"\"no\"\"\"") != std::string::npos);
  CHECK(lines[0].find("accuracy.kernel_error.max_abs") != std::string::npos);
}

TEST_CASE("table and Markdown: the variant has a column, without the implementation's name") {
  Record record = passed();
  record.variant = "some_fast_split4";
  for (const OutputForm form : {OutputForm::table, OutputForm::markdown}) {
    const std::string line = printed(form, {record}).back();
    CHECK(line.find(" fast_split4") != std::string::npos);
    CHECK(line.find("some_fast") == std::string::npos);
  }
}

TEST_CASE("table: heading once, a case's name once above its lines, the reason under its line") {
  Record other = passed();
  other.case_string = "other";
  const auto lines = printed(OutputForm::table, {skipped(), passed(), other});
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].starts_with("  impl "));
  CHECK(lines[1] == skipped().case_string);
  CHECK(lines[3].find("says \"no\"") != std::string::npos);
  CHECK(lines[4].find("passed") != std::string::npos);
  CHECK(lines[5] == "other");
}

TEST_CASE("table: as wide as the terminal, what matters least leaves first") {
  unsetenv("COLUMNS"); // of who runs this
  const auto width_in = [](const char* columns) {
    setenv("COLUMNS", columns, 1);
    const auto lines = printed(OutputForm::table, {passed()});
    unsetenv("COLUMNS");
    for (const char* heading : {"impl", "outcome"}) CHECK(lines[0].find(heading) != std::string::npos);
    return lines[0].size();
  };
  const size_t all = printed(OutputForm::table, {passed()})[0].size();
  CHECK(width_in("400") == all);
  CHECK(width_in("nonsense") == all);
  CHECK(width_in("100") <= 100);
  CHECK(width_in("100") > 60);
  CHECK(width_in("10") < 40); // two columns stay
}

TEST_CASE("colours: on a terminal, unless NO_COLOR is set") {
  unsetenv("NO_COLOR"); // of who runs this
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE(grantpt(master) == 0);
  REQUIRE(unlockpt(master) == 0);
  std::FILE* terminal = std::fopen(ptsname(master), "w");
  std::FILE* file = std::tmpfile();
  REQUIRE(terminal != nullptr);
  REQUIRE(file != nullptr);
  CHECK(coloured(terminal, OutcomeKind::passed, "passed") == "\x1b[32mpassed\x1b[0m");
  CHECK(coloured(terminal, OutcomeKind::hazard, "hazard") == "\x1b[31mhazard\x1b[0m");
  CHECK(coloured(terminal, OutcomeKind::unsupported, "unsupported") == "unsupported");
  CHECK(coloured(file, OutcomeKind::passed, "passed") == "passed");
  setenv("NO_COLOR", "1", 1);
  CHECK(coloured(terminal, OutcomeKind::passed, "passed") == "passed");
  unsetenv("NO_COLOR");
  std::fclose(terminal);
  std::fclose(file);
  close(master);
}

TEST_CASE("Markdown: heading, rule, a line per record with as many columns") {
  const auto lines = printed(OutputForm::markdown, {skipped(), passed()});
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines)
    CHECK(std::count(lines[0].begin(), lines[0].end(), '|') == std::count(line.begin(), line.end(), '|'));
}

TEST_CASE("the closing line counts, the exit code is of the first failing kind") {
  Summary summary;
  CHECK(summary.closing_line() == "0 passed, 0 failed, 0 skipped");
  summary.count(Outcome::passed(1));
  summary.count(Outcome::passed(1));
  summary.count(Outcome::failed(OutcomeKind::unsupported, "head_dim 64"));
  CHECK(summary.exit_code() == 0);
  summary.count(Outcome::failed(OutcomeKind::device_error, "fault"));
  CHECK(summary.exit_code() == exit_code(OutcomeKind::device_error));
  summary.count(Outcome::failed(OutcomeKind::inaccurate, "rmse"));
  CHECK(summary.exit_code() == exit_code(OutcomeKind::inaccurate));
  CHECK(summary.closing_line() == "2 passed, 2 failed, 1 skipped");
  summary.count_kept(0); // a run that resumes, and finds nothing
  CHECK(summary.closing_line() == "2 passed, 2 failed, 1 skipped (0 kept)");
  summary.count_kept(1);
  CHECK(summary.closing_line() == "2 passed, 2 failed, 1 skipped (1 kept)");
}

TEST_CASE("above the closing line: what auto gave to another than its first choice, by reason") {
  Summary summary;
  for (const char* fallback : {"a: soft cap", "", "a: soft cap", "a: sink"}) summary.count_fallback(fallback);
  const std::string text = text_of_file([&](std::FILE* file) { summary.print(file); });
  CHECK(text == "fell back 1: a: sink\nfell back 2: a: soft cap\n0 passed, 0 failed, 0 skipped\n");
}

TEST_CASE("above the closing line: failures with the commands that repeat them, the first ten") {
  Summary summary;
  for (int i = 0; i < 12; ++i)
    summary.list_failure("mine", Outcome::failed(OutcomeKind::inaccurate, "rmse"), "./fmha950 accuracy CASE");
  const std::string text = text_of_file([&](std::FILE* file) { summary.print(file); });
  CHECK(text.starts_with("failed: mine inaccurate: rmse\n    ./fmha950 accuracy CASE\nfailed: mine "));
  CHECK(text.ends_with("failed: 2 more\n0 passed, 0 failed, 0 skipped\n"));
}
