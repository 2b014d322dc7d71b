#pragma once
// `device --check`: what the code of a code object's kernels says without running, as text or JSON lines.

#include "emulator/loader/code_object.hpp"

#include <string>
#include <string_view>

namespace fmha950::static_check {

enum class Form : uint8_t { text, json };

struct Report {
  std::string text; // its last line: "N errors, N warnings, N unknown"
  int errors = 0, warnings = 0, unknown = 0;
};
// Reports on all kernels and the functions that they call, or on the one kernel with that name. Throws LoadError when there
// are none.
Report report(const loader::CodeObject& object, std::string_view kernel, Form form);

} // namespace fmha950::static_check
