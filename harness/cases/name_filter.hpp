#pragma once
// A regular expression over names: of cases, probes, mutants, defects. To instantiate std::regex takes a file three
// seconds to compile, so name_filter.cpp alone does.

#include <memory>
#include <string>

namespace fmha950::harness {

class NameFilter {
 public:
  explicit NameFilter(const std::string& expression); // ECMAScript's; throws InvalidInput
  bool finds(const std::string& name) const;          // the expression somewhere in the name

 private:
  struct Expression;
  std::shared_ptr<const Expression> expression_;
};

} // namespace fmha950::harness
