#pragma once
// Shared by the files that make up validate_problem() and validate_tensors(); not for others.

#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/names.hpp"
#include "interface/tensors.hpp"

#include <fmt/ranges.h>

#include <limits>
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

// What is stored is at most 448, and a descale must leave that finite in fp32.
inline constexpr float largest_descale = std::numeric_limits<float>::max() / 448;
inline constexpr uint8_t largest_e8m0_descale = 127 + 119; // 2^119; 448 is below 2^9
// Throws InvalidInput for an E8M0 code that is NaN or a descale too large.
template <class... Index> void check_e8m0_descale(std::string_view name, uint8_t code, Index... index) {
  if (code == 0xFF) refuse(name, "0xFF", "must be a number, and this E8M0 code is NaN", index...);
  if (code > largest_e8m0_descale)
    refuse(name, fmt::format("0x{:02X}", code),
           fmt::format("must be an E8M0 code up to 0x{:02X} (2^119), or 448 times it is infinite in fp32",
                       largest_e8m0_descale),
           index...);
}

void check_append(const Problem& problem, const Tensors& tensors); // all of append_prefill
void check_sparse(const Problem& problem, const Tensors& tensors); // all of sparse_prefill
void check_overlap(const Problem& problem, const Tensors& tensors, const DeviceTensors& device);

} // namespace fmha950::validation
