// The notation of kernel arguments, and their layout.
#include "harness/foreign/argument_block.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>

namespace fmha950::fuzz {
namespace {

using harness::Argument;

// Small, and without files.
bool is_self_contained(const Argument& argument) {
  size_t elements = 1;
  for (const int64_t extent : argument.shape)
    elements = std::min<size_t>(elements * static_cast<size_t>(extent), 1 << 20);
  return argument.source.empty() && elements <= 4096 &&
         std::ranges::all_of(argument.values, is_self_contained);
}

void argument(Bytes input) {
  try {
    const std::string text(input.begin(), input.end());
    const Argument parsed = harness::parse_argument("argument 0", text);
    const auto values = std::ranges::count(parsed.fields, size_t{0}, &harness::StructField::padding);
    ensure(parsed.text == text && parsed.values.size() == static_cast<size_t>(values),
           "a value for each field but padding");
    ensure(parsed.kind != Argument::Kind::out || parsed.element, "an output has a type");
    if (!is_self_contained(parsed)) return;
    harness::ForeignKernel kernel;
    kernel.silent = true;
    kernel.kernarg_bytes = 256;
    const harness::ArgumentBlock block = lay_out(kernel, {parsed, parsed});
    ensure(block.bytes.size() == kernel.kernarg_bytes, "what is accepted fits the segment");
    for (const harness::ArgumentBuffer& buffer : block.buffers)
      ensure(buffer.address_at + 8 <= block.bytes.size(), "an address lies inside the segment");
  } catch (const InvalidInput&) {
  }
}

const Registration registration("argument", argument);

} // namespace
} // namespace fmha950::fuzz
