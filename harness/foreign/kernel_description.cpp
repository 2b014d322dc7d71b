#include "harness/foreign/kernel_description.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace fmha950::harness {

namespace {

// Something of the right form; files and extents are the user's to fill in.
std::string example(const KernelParameter& parameter, size_t index) {
  const std::string name = parameter.name.empty() ? fmt::format("argument{}", index) : parameter.name;
  if (parameter.is_buffer()) {
    if (parameter.access == "read_only") return fmt::format("in:{}.npy", name);
    if (parameter.access == "write_only") return fmt::format("'out:float32[1024]={}.npy'", name);
    return fmt::format("inout:{}.npy", name);
  }
  if (parameter.size <= 8) return parameter.type == "float" || parameter.type == "double" ? "1.0" : "1";
  const size_t words = parameter.size / 4;
  const std::vector<std::string> types(words, "i32"), values(words, "0");
  const size_t rest = parameter.size % 4;
  return fmt::format("struct:{}{}={}", fmt::join(types, ","), rest ? fmt::format(",pad{}", rest) : "",
                     fmt::join(values, ","));
}

std::string line_of(const KernelParameter& parameter, size_t index) {
  std::string text = fmt::format("  {:>3} {:<16} {:>4} bytes at {:<4}", index, parameter.kind, parameter.size,
                                 parameter.offset);
  for (const std::string& more : {parameter.type, parameter.name, parameter.access})
    if (!more.empty()) text += " " + more;
  return text + "\n";
}

} // namespace

std::string describe(const CodeObjectFile& file, const ForeignKernel& kernel) {
  std::string text =
      fmt::format("kernel {}: block of at most {} work-items, {} VGPRs, {} bytes of static LDS, {} bytes of "
                  "arguments\n",
                  kernel.name, kernel.max_block, kernel.vgprs, kernel.static_lds, kernel.kernarg_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) text += line_of(kernel.parameters[i], i);
  if (kernel.beyond_segment)
    text += fmt::format(
        "  note: {} more arguments of the metadata lie past the argument segment's end and are left out\n",
        kernel.beyond_segment);
  if (kernel.silent && kernel.kernarg_bytes)
    text += "  note: the metadata names no arguments; they are placed one after the other, each aligned to "
            "its size\n";
  const std::string block = kernel.required_block ? fmt::format("{}", fmt::join(*kernel.required_block, ","))
                                                  : fmt::format("{},1,1", std::min(kernel.max_block, 256u));
  text += fmt::format("./fmha950 device run {} --kernel {} --grid 1,1,1 --block {}", file.path, kernel.name,
                      block);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) text += " --arg " + example(kernel.parameters[i], i);
  return text + "\n";
}

} // namespace fmha950::harness
