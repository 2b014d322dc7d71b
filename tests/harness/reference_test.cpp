// docs/reference.md, and the table of exit codes in docs/results.md, against the program.
#include "interface/installation.hpp"
#include "interface/outcome.hpp"
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>

using namespace fmha950;

namespace {

std::vector<std::string> page(const char* name) {
  std::ifstream file(project_path("docs") / name);
  return lines_of(file);
}

} // namespace

TEST_CASE("docs/reference.md is what the program says of its commands and options") {
  const Ran ran = run_fmha950("reference");
  REQUIRE(ran.exit_code == 0);
  INFO("./fmha950 reference > docs/reference.md writes it anew");
  const std::vector<std::string> kept = page("reference.md");
  for (size_t i = 0; i < std::min(kept.size(), ran.out.size()); ++i) REQUIRE(kept[i] == ran.out[i]);
  CHECK(kept.size() == ran.out.size());
  // It is of the options that --help has.
  for (const std::string& line : run_fmha950("perf --help").out)
    if (const size_t at = line.find("--"); line.starts_with("  ") && at == 2)
      CHECK_THAT(joined(kept),
                 Catch::Contains("`" + line.substr(at, line.find_first_of(" =,\n", at) - at) + "`"));
}

TEST_CASE("docs/results.md has every outcome, with its exit code") {
  const std::string text = joined(page("results.md"));
  for (int i = 0; i <= static_cast<int>(OutcomeKind::not_run); ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    CHECK_THAT(text, Catch::Contains(fmt::format("\n| `{}` | {} | ", to_string(kind), exit_code(kind))));
  }
}
