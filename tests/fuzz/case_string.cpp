// The case string parser: what it accepts prints as the same problem.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "tests/fuzz/target.hpp"

namespace fmha950::fuzz {
namespace {

void case_string(Bytes input) {
  try {
    const Problem problem = parse_case({reinterpret_cast<const char*>(input.data()), input.size()});
    const std::string text = print_case(problem);
    try {
      ensure(parse_case(text) == problem, "what is printed is read as the same problem");
    } catch (const InvalidInput& error) {
      throw Finding("what is printed is refused: " + text + ": " + error.what());
    }
    validate_problem(problem);
  } catch (const InvalidInput&) {
  }
}

const Registration registration("case_string", case_string);

} // namespace
} // namespace fmha950::fuzz
