#pragma once
// Shared by the files that make up validate_problem() and validate_tensors(); not for others.

#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/names.hpp"
#include "interface/tensors.hpp"

#include <fmt/ranges.h>

#include <span>

namespace fmha950::validation {

// A property of every valid problem. Fields are named by their keys in a case string.
struct Rule {
  const char* field;
  bool (*holds)(const Problem&);
  std::string (*value)(const Problem&);
  const char* expected;
};

std::span<const Rule> append_rules();
std::span<const Rule> sparse_rules();
void refuse_paged_fields(const Problem& sparse_problem); // that a case string of it could not name

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

struct Expected {
  std::string name;
  const Tensor& tensor;
  ElementType type;
  std::vector<int64_t> shape; // an empty shape: the tensor must be absent
};
void check_expected(std::span<const Expected> tensors);

void check_shapes(const Problem& problem, const Tensors& tensors);   // all but the tables
void check_tables(const Problem& problem, const Tensors& tensors);   // relies on check_shapes
void check_descales(const Problem& problem, const Tensors& tensors); // relies on check_tables
void check_sink_logits(const Tensors& tensors);
void check_append(const Problem& problem, const Tensors& tensors); // all of append_prefill
void check_sparse(const Problem& problem, const Tensors& tensors); // all of sparse_prefill
void check_overlap(const Problem& problem, const Tensors& tensors, const DeviceTensors& device);

} // namespace fmha950::validation
