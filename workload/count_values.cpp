#include "workload/count_values.hpp"

#include "interface/case_text.hpp"
#include "interface/error.hpp"

#include <algorithm>

namespace fmha950::workload {

void CountValues::query(int, int, int, std::span<float> row) const { std::ranges::fill(row, 0.0F); }

void CountValues::key(int request, int token, int kv_head, std::span<float> row) const {
  fill_normal(row, seed_, {Stream::key, request, token, kv_head});
}

void CountValues::value(int, int token, int, std::span<float> row) const {
  constexpr float powers[] = {1, 2, 4}, largest = 448;
  std::ranges::fill(row, 0.0F);
  float& one = row[static_cast<size_t>(token) % row.size()];
  if (!only_key_)
    one = powers[static_cast<size_t>(token) / row.size() % 3];
  else if (token == *only_key_)
    one = largest;
}

std::optional<int> counted_key(const std::string& values, const std::string& key) {
  if (key.empty()) return std::nullopt;
  int number = -1;
  if (!case_text::read_number(key, number, 0))
    throw InvalidInput("values", values, "must be count or count:KEY, the number of a key");
  return number;
}

} // namespace fmha950::workload
