// Results that are right but for where they are written, and in which base.
#include "harness/sabotage/defect.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numbers>
#include <set>

namespace fmha950::harness {

namespace {

// Item `to` of equal parts becomes item `from`.
template <class T> void copy_part(std::vector<T>& values, size_t parts, size_t from, size_t to) {
  const size_t size = values.size() / parts;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from * size), size,
              values.begin() + static_cast<std::ptrdiff_t>(to * size));
}

OutputChange row_of_neighbour(size_t to, size_t from) {
  return {.expected = [=](AttentionRows& rows) { copy_part(rows.output, rows.rows.size(), from, to); },
          .on_device =
              [=](RowOutputs& outputs, const std::vector<QueryRow>& rows) {
                copy_part(outputs.output, rows.size(), from, to);
              }};
}

OutputChange lse_in_base_2() {
  return {.expected =
              [](AttentionRows& rows) {
                for (double& lse : rows.lse) lse *= std::numbers::log2e;
              },
          .on_device =
              [](RowOutputs& outputs, const std::vector<QueryRow>&) {
                for (size_t at = 0; at < outputs.lse.size(); at += sizeof(float)) {
                  float lse;
                  std::memcpy(&lse, &outputs.lse[at], sizeof lse);
                  lse *= std::numbers::log2e_v<float>;
                  std::memcpy(&outputs.lse[at], &lse, sizeof lse);
                }
              }};
}

} // namespace

std::vector<Defect> wrong_outputs(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (of.problem.lse)
    defects.push_back({.kind = "lse_in_base_2", .place = "all rows", .outputs = lse_in_base_2()});
  const size_t rows = of.rows.size();
  if (rows < 2) return defects;
  for (const size_t row : std::set{size_t{0}, rows / 2 - 1})
    defects.push_back(
        {.kind = "output_row_of_neighbour",
         .place = fmt::format("query {} of request {}", of.rows[row].query, of.rows[row].request),
         .outputs = row_of_neighbour(row, row + 1)});
  return defects;
}

} // namespace fmha950::harness
