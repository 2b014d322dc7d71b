#include "harness/cases/case_selection.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>
#include <regex>

namespace fmha950::harness {

struct NameFilter::Expression {
  std::regex regex;
};

NameFilter::NameFilter(const std::string& expression) {
  try {
    expression_ = std::make_shared<const Expression>(std::regex(expression));
  } catch (const std::regex_error& error) {
    throw InvalidInput("filter", expression,
                       fmt::format("must be an ECMAScript regular expression ({})", error.what()));
  }
}

bool NameFilter::finds(const std::string& name) const { return std::regex_search(name, expression_->regex); }

} // namespace fmha950::harness
