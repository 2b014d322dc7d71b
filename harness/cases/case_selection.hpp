#pragma once
// Which cases a command works on: case strings of the command line, named lists of data/cases, each along its
// axes, and a regular expression.

#include "interface/error.hpp"
#include "interface/problem.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

// A regular expression over names: of cases, probes, mutants, defects. To instantiate std::regex takes a file three
// seconds to compile, so name_filter.cpp alone does.
class NameFilter {
 public:
  explicit NameFilter(const std::string& expression); // ECMAScript's; throws InvalidInput
  bool finds(const std::string& name) const;          // the expression somewhere in the name

 private:
  struct Expression;
  std::shared_ptr<const Expression> expression_;
};

// `--axis KEY=VALUE,VALUE...`: every selected case with each of the values instead of its own.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

// Throws InvalidInput unless it is KEY=VALUE[,VALUE...] of a key whose values hold no comma.
Axis parse_axis(const std::string& text);

// Cases times values; the values of one case follow each other.
std::vector<std::string> along(const Axis& axis, const std::vector<std::string>& cases);

// A case as it was asked for. One that does not parse is kept, with the reason, and becomes a failed result:
// one bad line does not stop a list.
struct SelectedCase {
  std::string text; // canonical where it parses
  std::optional<Problem> problem;
  std::optional<InvalidInput> error;
};

struct CaseSelection {
  std::vector<std::string> cases, lists;
  std::string filter;
  std::vector<std::string> axes; // parse_axis()
  std::string shard;             // "i/n": every n-th case of the selection, from the i-th (1-based)

  bool empty() const { return cases.empty() && lists.empty(); }
  // In the order given, lists after single cases, each canonical case once. Throws InvalidInput for an
  // unknown list or a malformed expression.
  std::vector<SelectedCase> select() const;
};

std::filesystem::path case_list_directory();                      // cases/ of the data directory
std::vector<std::string> case_list_names();                       // sorted
std::vector<std::string> read_case_list(const std::string& name); // lines without '#' comments and blanks

} // namespace fmha950::harness
