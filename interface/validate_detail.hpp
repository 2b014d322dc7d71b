#pragma once
// Shared by the files that make up validate_tensors(); not for others.

#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/tensors.hpp"

#include <fmt/ranges.h>

namespace fmha950::validation {

inline std::string text_of(ElementType type, const std::vector<int64_t>& shape) {
  return fmt::format("{} [{}]", name_of(type), fmt::join(shape, ", "));
}

// Throws InvalidInput for one element: "name[i, j] = value: expected".
template <class... Index>
[[noreturn]] void refuse(std::string_view name, auto value, std::string expected, Index... index) {
  std::string place;
  ((place += fmt::format("{}{}", place.empty() ? "" : ", ", index)), ...);
  throw InvalidInput(fmt::format("{}[{}]", name, place), fmt::format("{}", value), std::move(expected));
}

void check_shapes(const Problem& problem, const Tensors& tensors);   // all but the tables
void check_tables(const Problem& problem, const Tensors& tensors);   // relies on check_shapes
void check_descales(const Problem& problem, const Tensors& tensors); // relies on check_tables
void check_sink_logits(const Tensors& tensors);

} // namespace fmha950::validation
