#pragma once
// Rows of a table on a terminal: as many columns as there is room for.

#include "interface/outcome.hpp"

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

struct TableColumn {
  const char* heading;
  int width; // on a terminal; negative: figures, which stand to the right
  int keep;  // the smallest leaves first where a terminal is too narrow

  bool is_figure() const { return width < 0; }
};

class TableLayout {
 public:
  // The first column is the implementation's name, the second its outcome.
  TableLayout(std::FILE* out, std::span<const TableColumn> columns);

  void print_heading() const;
  // One cell for each column, shown or not. `kind` colours the outcome.
  void print(const std::vector<std::string>& cells, std::optional<OutcomeKind> kind = {}) const;
  // A row that has names alone: of the implementation and, in the last column, of its variant.
  void print_without_figures(const std::string& implementation, const Outcome& outcome,
                             const std::string& variant) const;
  void print_reason(const Outcome& outcome) const; // below its row, if it has one

 private:
  std::FILE* out_;
  std::vector<TableColumn> columns_;
  std::vector<size_t> shown_;
};

} // namespace fmha950::harness
