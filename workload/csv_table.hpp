#pragma once
// A comma-separated file with a header line and RFC 4180 quotes. Errors name file, line and field.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::workload {

class CsvTable {
 public:
  // Throws InvalidInput when the file cannot be read, is empty, or a line has another number of fields than
  // the header.
  explicit CsvTable(const std::filesystem::path& file);

  size_t rows() const { return rows_.size(); }
  bool has(std::string_view column) const;
  const std::string& text(size_t row, std::string_view column) const;
  int64_t integer(size_t row, std::string_view column, int64_t least, int64_t most) const;
  double positive(size_t row, std::string_view column) const; // finite
  // Integers separated by blanks.
  std::vector<int64_t> integers(size_t row, std::string_view column) const;

  // "FILE:LINE: COLUMN", as errors about a field begin.
  std::string place(size_t row, std::string_view column) const;

 private:
  size_t column_index(std::string_view column) const;
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace fmha950::workload
