#include "harness/foreign/outputs.hpp"

#include "harness/foreign/output_check.hpp"
#include "interface/error.hpp"

#include <fmt/ranges.h>

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

} // namespace fmha950::harness
