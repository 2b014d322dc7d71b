// The loader, as `device --loops` and hipModuleLoadData use it: bundle or ELF file, metadata, relocations,
// line tables.
#include "emulator/loader/code_object.hpp"
#include "emulator/loader/bundle.hpp"
#include "emulator/timing/loop_report.hpp"
#include "tests/fuzz/target.hpp"

namespace fmha950::fuzz {
namespace {

void code_object(Bytes input) {
  try {
    const auto file =
        loader::select_code_object(reinterpret_cast<const std::byte*>(input.data()), input.size());
    ensure(file.data() >= reinterpret_cast<const std::byte*>(input.data()) &&
               file.size() <=
                   input.size() -
                       static_cast<size_t>(reinterpret_cast<const uint8_t*>(file.data()) - input.data()),
           "the code object lies inside its file");
    const loader::CodeObject code(file);
    for (const loader::Kernel& kernel : code.kernels()) {
      const auto function = code.function_at(kernel.entry);
      ensure(function && function->begin <= kernel.entry && kernel.entry < function->end,
             "a kernel's entry lies in its function");
      code.source_line(kernel.entry);
    }
    timing::loop_report(code, 1);
  } catch (const loader::LoadError&) {
  }
}

const Registration registration("code_object", code_object);

} // namespace
} // namespace fmha950::fuzz
