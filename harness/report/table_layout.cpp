#include "harness/report/table_layout.hpp"

#include "harness/report/terminal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace fmha950::harness {

TableLayout::TableLayout(std::FILE* out, std::span<const TableColumn> columns)
    : out_(out), columns_(columns.begin(), columns.end()), shown_(columns.size()) {
  std::iota(shown_.begin(), shown_.end(), size_t{0});
  const std::optional<int> width = columns_of(out);
  const auto taken = [&] {
    int sum = 1;
    for (const size_t i : shown_) sum += std::abs(columns_[i].width) + 1;
    return sum;
  };
  while (width && taken() > *width && shown_.size() > 2)
    shown_.erase(std::ranges::min_element(shown_, {}, [&](size_t i) { return columns_[i].keep; }));
}

void TableLayout::print_heading() const {
  std::vector<std::string> headings;
  for (const TableColumn& column : columns_) headings.emplace_back(column.heading);
  print(headings);
}

void TableLayout::print(const std::vector<std::string>& cells, std::optional<OutcomeKind> kind) const {
  constexpr size_t outcome = 1;
  std::string line = " ";
  for (const size_t i : shown_) {
    const int width = std::abs(columns_[i].width);
    const std::string text = columns_[i].is_figure() ? fmt::format("{:>{}}", cells[i], width)
                                                     : fmt::format("{:<{}}", cells[i], width);
    line += ' ' + (kind && i == outcome ? coloured(out_, *kind, text) : text);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(out_, "{}\n", line);
}

void TableLayout::print_without_figures(const std::string& implementation, const Outcome& outcome,
                                        const std::string& variant) const {
  std::vector<std::string> cells(columns_.size(), "-");
  cells[0] = implementation;
  cells[1] = to_string(outcome.kind());
  cells.back() = variant;
  print(cells, outcome.kind());
  print_reason(outcome);
}

void TableLayout::print_reason(const Outcome& outcome) const {
  if (!outcome.reason().empty()) print_result_line(out_, outcome.reason(), columns_.front().width + 3);
}

} // namespace fmha950::harness
