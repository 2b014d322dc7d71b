#include "harness/device/code_place.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

std::string CodePlace::text() const { return fmt::format("{}+{:#x}", function, offset); }

std::string CodePlace::argument() const { return function.empty() ? fmt::format("{:#x}", offset) : text(); }

std::string CodePlace::id(const std::string& kernel) const {
  return kernel + (function.empty() ? "" : "/") + text();
}

CodePlace parse_place(const std::string& argument) {
  const size_t plus = argument.rfind("+0x");
  if (plus == argument.npos) return {"", std::stoull(argument, nullptr, 16)};
  return {argument.substr(0, plus), std::stoull(argument.substr(plus + 1), nullptr, 16)};
}

CodePlace place_of_change(const std::string& id) {
  const size_t plus = id.rfind("+0x"), slash = std::min(id.find('/'), plus);
  return {slash < plus ? id.substr(slash + 1, plus - slash - 1) : "",
          std::stoull(id.substr(plus + 1), nullptr, 16)};
}

} // namespace fmha950::harness
