#pragma once
// What the checks of problems and tensors are written with; for validate.hpp and the folders of operators.

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

// Throws InvalidInput for the first that does not hold. A rule may rely on those before it.
void check_rules(const Problem& problem, std::span<const Rule> rules);

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

void check_sink_logits(const Tensors& tensors);
// For a call that writes to its inputs: checks that no other tensor lies where it writes.
void check_overlap(const Problem& problem, const Tensors& tensors, const DeviceTensors& device);

// Offsets that start at 0 and grow by `count(request)` from request to request.
template <class Count>
void check_indptr(std::string_view name, const Tensor& tensor, const Problem& p, Count count,
                  std::string_view unit) {
  const auto indptr = tensor.as<int32_t>();
  if (indptr[0] != 0) refuse(name, indptr[0], "must be 0", 0);
  for (size_t i = 0; i < p.requests.size(); ++i) {
    if (indptr[i + 1] < indptr[i])
      refuse(name, indptr[i + 1], fmt::format("must not be below its predecessor {}", indptr[i]), i + 1);
    if (const int64_t expected = int64_t(indptr[i]) + count(p.requests[i]); indptr[i + 1] != expected)
      refuse(name, indptr[i + 1],
             fmt::format("must be {}, as request {} has {} {}", expected, i, count(p.requests[i]), unit),
             i + 1);
  }
}

// What is stored is at most 448, and a descale must leave that finite in fp32.
inline constexpr float largest_descale = std::numeric_limits<float>::max() / 448;
// The largest power of two by which it does: 448 is below 2^9, mxfp4's 6 below 2^3.
inline int largest_e8m0_exponent(ElementType stored) { return stored == ElementType::mxfp4 ? 125 : 119; }
// Throws InvalidInput for an E8M0 code that is NaN or a descale too large for what is `stored`.
template <class... Index>
void check_e8m0_descale(std::string_view name, ElementType stored, uint8_t code, Index... index) {
  if (code == 0xFF) refuse(name, "0xFF", "must be a number, and this E8M0 code is NaN", index...);
  const int largest = largest_e8m0_exponent(stored);
  if (code > 127 + largest)
    refuse(name, fmt::format("0x{:02X}", code),
           fmt::format("must be an E8M0 code up to 0x{:02X} (2^{}), or {} times it is infinite in fp32",
                       127 + largest, largest, stored == ElementType::mxfp4 ? 6 : 448),
           index...);
}

} // namespace fmha950::validation
