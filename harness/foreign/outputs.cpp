#include "harness/foreign/outputs.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace fmha950::harness {

std::vector<Output> outputs_of(const ForeignKernel& kernel, const ArgumentBlock& block) {
  std::vector<Output> outputs;
  for (const ArgumentBuffer& buffer : block.buffers) {
    if (!buffer.output) continue;
    const bool named =
        buffer.argument < kernel.parameters.size() && !kernel.parameters[buffer.argument].name.empty();
    outputs.push_back({&buffer, named ? kernel.parameters[buffer.argument].name
                                      : fmt::format("argument{}", buffer.argument)});
  }
  return outputs;
}

Expectation parse_expectation(const std::string& text, const std::vector<Output>& outputs) {
  const size_t equals = text.find('=');
  std::vector<std::string> known;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string number = std::to_string(outputs[i].buffer->argument);
    known.push_back(fmt::format("{} ({})", number, outputs[i].name));
    const std::string wanted = text.substr(0, equals);
    const bool meant =
        equals == text.npos ? outputs.size() == 1 : wanted == outputs[i].name || wanted == number;
    if (!meant) continue;
    const std::string file = equals == text.npos ? text : text.substr(equals + 1);
    Expectation expectation{i, text, read_array(parse_place("--expect", file))};
    relative_l2("--expect", outputs[i].buffer->before,
                expectation.values); // refuses another number of elements
    return expectation;
  }
  throw InvalidInput("--expect", text,
                     fmt::format("must be OUTPUT=FILE with one of the outputs, arguments {}",
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

void save_outputs(const std::vector<Output>& outputs, const std::vector<Array>& results,
                  const std::string& otherwise) {
  std::vector<NamedArray> saved;
  for (size_t i = 0; i < results.size(); ++i) {
    TensorPlace place = outputs[i].buffer->saved;
    if (place.empty() && !otherwise.empty()) place = parse_place("--save", otherwise);
    if (place.empty()) continue;
    if (place.tensor.empty()) place.tensor = outputs[i].name;
    saved.push_back({place, &results[i]});
  }
  write_arrays(saved);
}

std::string summary(const Array& output, bool was_poisoned) {
  constexpr size_t shown = 4;
  double least = std::numeric_limits<double>::infinity(), most = -least, squares = 0;
  size_t nan = 0, infinite = 0, untouched = 0;
  const size_t bytes = facts_of(output.element).bytes;
  for (size_t i = 0; i < output.elements(); ++i) {
    const auto* const begin = output.bytes.data() + i * bytes;
    untouched += was_poisoned &&
                 std::all_of(begin, begin + bytes, [](std::byte each) { return each == std::byte{0xFF}; });
    const double value = output.value(i);
    nan += std::isnan(value);
    infinite += std::isinf(value);
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    squares += value * value;
  }
  const size_t finite = output.elements() - nan - infinite;
  std::string text = finite == 0 ? "nothing finite"
                                 : fmt::format("min {:.6g}, max {:.6g}, rms {:.6g}", least, most,
                                               std::sqrt(squares / static_cast<double>(finite)));
  text += fmt::format("; {} NaN, {} Inf", nan, infinite);
  if (untouched) text += fmt::format(", {} still poison", untouched);
  text += ";";
  for (size_t i = 0; i < std::min(shown, output.elements()); ++i)
    text += fmt::format(" {:.6g}", output.value(i));
  return text + (output.elements() > shown ? " ..." : "");
}

double relative_l2(const std::string& field, const Array& output, Array expected) {
  if (expected.elements() != output.elements())
    throw InvalidInput(
        field, expected.type(),
        fmt::format("must have the output's {} elements, {}", output.elements(), output.type()));
  using enum Element;
  const bool is_code =
      expected.element == float8_e4m3 || expected.element == uint8 || expected.element == uint16;
  const bool small = output.element == float8_e5m2 || output.element == e8m0 ||
                     output.element == float8_e4m3 || output.element == bfloat16;
  if (is_code && small && facts_of(expected.element).bytes == facts_of(output.element).bytes)
    expected.element = output.element;
  double difference = 0, norm = 0;
  for (size_t i = 0; i < output.elements(); ++i) {
    const double got = output.value(i), wanted = expected.value(i);
    if (!std::isfinite(got) || !std::isfinite(wanted)) {
      if (got == wanted || (std::isnan(got) && std::isnan(wanted))) continue;
      return std::numeric_limits<double>::infinity();
    }
    difference += (got - wanted) * (got - wanted);
    norm += wanted * wanted;
  }
  if (difference == 0) return 0;
  return norm == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(difference / norm);
}

BitDifference compare_bits(const Array& a, const Array& b) {
  const size_t bytes = facts_of(a.element).bytes;
  BitDifference found;
  for (size_t i = 0; i < a.elements(); ++i) {
    if (std::memcmp(a.bytes.data() + i * bytes, b.bytes.data() + i * bytes, bytes) == 0) continue;
    if (found.count++ == 0) found.first = i;
  }
  return found;
}

} // namespace fmha950::harness
