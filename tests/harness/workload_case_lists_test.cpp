#include "harness/cases/case_selection.hpp"
#include "harness/workload/trace.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace fmha950;

TEST_CASE("every line of every case list is a valid problem and another case than the others") {
  const auto names = harness::case_list_names();
  CHECK(std::find(names.begin(), names.end(), "demo") != names.end());
  for (const std::string& name : names) {
    std::set<std::string> seen;
    for (const std::string& line : harness::read_case_list(name)) {
      INFO(name << ": " << line);
      Problem problem = parse_case(line);
      CHECK(seen.insert(print_case(problem)).second);
      workload::resolve_trace(problem);
      CHECK_NOTHROW(validate_problem(problem));
    }
  }
}
