#pragma once
// A table that a planner has made, as numbers of a launch's rows or of partial results.

#include "harness/foreign/array.hpp"
#include "interface/error.hpp"

#include <cmath>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace fmha950::harness::external {

// Integers, with these columns. Throws InvalidInput.
class IntegerTable {
 public:
  IntegerTable(const std::string& place, const std::string& name, const Array& array,
               const std::vector<const char*>& columns)
      : place_(place), name_(name), array_(array), columns_(columns.size()) {
    if (array.shape.size() != 2 || array.shape[1] != static_cast<int64_t>(columns_) ||
        !facts_of(array.element).integer)
      throw InvalidInput(place, fmt::format("{}, {}", name, array.type()),
                         fmt::format("must be integers [n, {}]: {}", columns_, fmt::join(columns, ", ")));
  }
  size_t rows() const { return static_cast<size_t>(array_.shape[0]); }
  int64_t at(size_t row, size_t column) const {
    const double value = array_.value(columns_ * row + column);
    if (std::abs(value) > 0x1p53) // beyond which doubles are no integers of their own
      throw InvalidInput(place_, fmt::format("{}, entry {}: {}", name_, row, value), "is too large");
    return static_cast<int64_t>(value);
  }
  int64_t at(size_t row, size_t column, int64_t least, int64_t most, const char* what) const {
    const int64_t value = at(row, column);
    if (value < least || value > most)
      throw InvalidInput(fmt::format("{}, entry {}", place_, row), fmt::format("{} {}", what, value),
                         fmt::format("must be from {} to {}", least, most));
    return value;
  }

 private:
  std::string place_, name_;
  const Array& array_;
  size_t columns_;
};

} // namespace fmha950::harness::external
