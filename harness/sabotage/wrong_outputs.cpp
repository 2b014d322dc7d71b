// Results that are right but for where they are written, in which base, how long they are, and by which weights parts of the
// keys are joined.
#include "harness/sabotage/defect.hpp"
#include "numerics/formats.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
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

template <class T> void change_each(std::vector<std::byte>& bytes, const auto& changed) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof value);
    value = changed(value);
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

OutputChange lse_in_base_2() {
  return {.expected =
              [](AttentionRows& rows) {
                for (double& lse : rows.lse) lse *= std::numbers::log2e;
              },
          .on_device =
              [](RowOutputs& outputs, const std::vector<QueryRow>&) {
                change_each<float>(outputs.lse, [](float lse) { return lse * std::numbers::log2e_v<float>; });
              }};
}

// As a wrong descale of all of V does, or a denominator that lacks some keys.
OutputChange too_long(ElementType type, float factor) {
  using namespace numerics;
  const auto scaled = [=](RowOutputs& outputs, const std::vector<QueryRow>&) {
    if (type == ElementType::fp32)
      return change_each<float>(outputs.output, [=](float value) { return value * factor; });
    change_each<uint16_t>(outputs.output, [=](uint16_t code) {
      return type == ElementType::fp16 ? f16_from_f32(f32_from_f16(code) * factor)
                                       : bf16_from_f32(f32_from_bf16(code) * factor);
    });
  };
  return {.expected =
              [=](AttentionRows& rows) {
                for (double& value : rows.output) value *= factor;
              },
          .on_device = scaled};
}

} // namespace

std::vector<Defect> wrong_outputs(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (of.problem.lse)
    defects.push_back({.kind = "lse_in_base_2", .place = "all rows", .outputs = lse_in_base_2()});
  for (const auto& [kind, factor] : {std::pair{"output_x1.02", 1.02F}, std::pair{"output_x1.1", 1.1F}})
    defects.push_back(
        {.kind = kind, .place = "all rows", .outputs = too_long(of.problem.output_type, factor)});
  const size_t rows = of.rows.size();
  if (rows < 2) return defects;
  for (const size_t row : std::set{size_t{0}, rows / 2 - 1})
    defects.push_back(
        {.kind = "output_row_of_neighbour",
         .place = fmt::format("query {} of request {}", of.rows[row].query, of.rows[row].request),
         .outputs = row_of_neighbour(row, row + 1)});
  return defects;
}

// Each part is computed by a workgroup of its own.
std::vector<Defect> wrong_parts(const SabotagedCase& of) {
  std::vector<Defect> defects;
  using Tile = std::pair<int, int>; // a part's keys: rows of one tile share them
  std::map<Tile, std::vector<PartialWeight>> by_keys;
  const std::vector<PartialWeight> weights = of.plan.partial_weights(of.rows);
  if (weights.empty()) return defects;
  for (const PartialWeight& weight : weights)
    if (weight.tile == weights.back().tile) by_keys[{weight.first_key, weight.last_key}].push_back(weight);
  if (by_keys.size() < 2) return defects;
  const auto first = by_keys.begin(), last = std::prev(by_keys.end());
  for (const auto& [part, other] : {std::pair(first, last), std::pair(last, first)}) {
    const std::string place =
        fmt::format("keys {}-{} of tile {}", part->first.first, part->first.second - 1, weights.back().tile);
    defects.push_back({.kind = "part_left_out", .place = place, .parts = {part->second, {}, 0}});
    defects.push_back({.kind = "part_counted_twice", .place = place, .parts = {part->second, {}, 2}});
    if (part->second.size() == other->second.size())
      defects.push_back(
          {.kind = "part_with_wrong_lse", .place = place, .parts = {part->second, other->second, 1}});
  }
  return defects;
}

} // namespace fmha950::harness
