#include "emulator/loader/code_symbol.hpp"

#include "emulator/loader/code_object.hpp"

#include <fmt/format.h>

namespace fmha950::loader {

CodeSymbol symbol_of(const Kernel& kernel, uint64_t address) {
  const auto function = kernel.object->function_at(address), own = kernel.object->function_at(kernel.entry);
  const bool is_own = !function || (own && own->begin == function->begin);
  if (is_own && address >= kernel.entry) return {kernel.name, kernel.entry};
  return function ? CodeSymbol{function->name, function->begin} : CodeSymbol{"", address};
}

std::string place_text(const Kernel& kernel, uint64_t address) {
  const CodeSymbol symbol = symbol_of(kernel, address);
  return fmt::format("{}{:#x}", symbol.name == kernel.name ? "" : symbol.name + "+", address - symbol.begin);
}

} // namespace fmha950::loader
