// Tables of perf and compare on terminals of any width.
#include "harness/report/table_layout.hpp"
#include "harness/report/terminal.hpp"
#include "program.hpp"

#include "tests/harness/printed.hpp"
#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950::harness;

namespace {

// What is printed where COLUMNS has this value.
template <class Print> std::vector<std::string> printed(const char* width, Print print) {
  setenv("COLUMNS", width, 1);
  std::istringstream stream(text_of_file(print));
  unsetenv("COLUMNS");
  return lines_of(stream);
}

constexpr TableColumn table[] = {
    {"impl", 6, 9}, {"outcome", 8, 9}, {"low", -5, 1}, {"high", -5, 3}, {"name", 8, 2}};

std::vector<std::string> row(const char* width) {
  return printed(width, [](std::FILE* out) {
    const TableLayout layout(out, table);
    layout.print_heading();
    layout.print({"fused", "passed", "1", "2", "a longer name"});
  });
}

} // namespace

TEST_CASE("the columns that matter least leave a narrow terminal first, names and outcomes never") {
  using Lines = std::vector<std::string>;
  CHECK(row("100") ==
        Lines{"  impl   outcome    low  high name", "  fused  passed       1     2 a longer name"});
  CHECK(row("38") == row("100"));
  CHECK(row("37") == Lines{"  impl   outcome   high name", "  fused  passed       2 a longer name"});
  CHECK(row("25") == Lines{"  impl   outcome   high", "  fused  passed       2"});
  CHECK(row("3") == Lines{"  impl   outcome", "  fused  passed"});
}

TEST_CASE("texts are wrapped between words") {
  const auto wrapped = [](const char* width, const char* text) {
    return printed(width, [&](std::FILE* out) { print_wrapped(out, text); });
  };
  using Lines = std::vector<std::string>;
  CHECK(wrapped("9", "one two three four") == Lines{"one two", "three", "four"});
  CHECK(wrapped("7", "one two three") == Lines{"one two", "three"});
  CHECK(wrapped("4", "unbreakable a") == Lines{"unbreakable", "a"});
  CHECK(wrapped("4", "unbreakable") == Lines{"unbreakable"});
  CHECK(wrapped("80", "") == Lines{""});
}

TEST_CASE("lines of results are broken on a terminal alone, and go on further in") {
  const auto lines = [](const char* width, const char* text, int indent) {
    return printed(width, [&](std::FILE* out) { print_result_line(out, text, indent); });
  };
  using Lines = std::vector<std::string>;
  CHECK(lines("14", "one two three four", 2) == Lines{"  one two", "      three", "      four"});
  CHECK(lines("20", "one two three four", 2) == Lines{"  one two three four"});
  CHECK(lines("3", "one two", 2) == Lines{"  one", "      two"}); // a word is never broken
  const std::string of_a_file(500, 'x');
  CHECK(lines("0", (of_a_file + " y").c_str(), 2) == Lines{"  " + of_a_file + " y"});
}

TEST_CASE("perf and compare fit a terminal of 80 columns") {
  for (const char* command : {"perf --explain --impl baseline,fused ", "compare --impl baseline,fused ",
                              "compare --perf --impl baseline,fused "}) {
    const Ran ran =
        run_fmha950(std::string(command) + "batch_prefill/h=1:1/sq=16/sk=64/d=128/q=fp8/kv=fp8/quant=tensor",
                    "COLUMNS=80");
    CAPTURE(command, joined(ran.out));
    CHECK(ran.exit_code == 0);
    const auto heading =
        std::ranges::find_if(ran.out, [](const auto& line) { return line.starts_with("  impl "); });
    REQUIRE(heading != ran.out.end());
    for (const std::string& line : ran.out) CHECK(line.size() <= 80);
    CHECK_THAT(joined(ran.out), Catch::Contains("fused / baseline"));
    CHECK_THAT(joined(ran.out), Catch::Contains("baseline        passed"));
  }
}
