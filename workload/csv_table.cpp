#include "workload/csv_table.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

namespace fmha950::workload {
namespace {

std::vector<std::string> split_line(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

bool parse_integer(std::string_view text, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

CsvTable::CsvTable(const std::filesystem::path& file) : name_(file.filename().string()) {
  std::ifstream stream(file);
  if (!stream) throw InvalidInput("file", file.string(), "cannot be read");
  std::string line;
  while (std::getline(stream, line)) {
    if (line.ends_with('\r')) line.pop_back();
    auto fields = split_line(line);
    if (columns_.empty()) {
      columns_ = std::move(fields);
      continue;
    }
    if (fields.size() != columns_.size())
      throw InvalidInput(fmt::format("{}:{}", name_, rows_.size() + 2), line,
                         fmt::format("has {} fields, the header has {}", fields.size(), columns_.size()));
    rows_.push_back(std::move(fields));
  }
  if (columns_.empty()) throw InvalidInput("file", file.string(), "is empty, a header line is needed");
}

bool CsvTable::has(std::string_view column) const { return std::ranges::count(columns_, column) > 0; }

size_t CsvTable::column_index(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end())
    throw InvalidInput(fmt::format("{}:1", name_), fmt::format("{}", fmt::join(columns_, ",")),
                       fmt::format("lacks the column {}", column));
  return found - columns_.begin();
}

const std::string& CsvTable::text(size_t row, std::string_view column) const {
  return rows_[row][column_index(column)];
}

std::string CsvTable::place(size_t row, std::string_view column) const {
  return fmt::format("{}:{}: {}", name_, row + 2, column);
}

int64_t CsvTable::integer(size_t row, std::string_view column, int64_t least, int64_t most) const {
  const std::string& field = text(row, column);
  int64_t value = 0;
  if (!parse_integer(field, value) || value < least || value > most)
    throw InvalidInput(place(row, column), field,
                       fmt::format("must be an integer from {} to {}", least, most));
  return value;
}

double CsvTable::positive(size_t row, std::string_view column) const {
  const std::string& field = text(row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value) || value <= 0)
    throw InvalidInput(place(row, column), field, "must be a number above 0");
  return value;
}

std::vector<int64_t> CsvTable::integers(size_t row, std::string_view column) const {
  std::vector<int64_t> values;
  std::string_view rest = text(row, column);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    int64_t value = 0;
    if (!parse_integer(rest.substr(0, end), value))
      throw InvalidInput(place(row, column), std::string(rest.substr(0, end)),
                         "must be integers separated by one blank");
    values.push_back(value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

} // namespace fmha950::workload
