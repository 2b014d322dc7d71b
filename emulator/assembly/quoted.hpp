#pragma once
// Names as the assembler takes them.

#include <algorithm>
#include <cctype>
#include <string>

namespace fmha950::assembly {

// "a.b" as it is; what is no name to the assembler in quotes.
inline std::string quoted(const std::string& name) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
  };
  return std::ranges::all_of(name, is_plain) ? name : '"' + name + '"';
}

} // namespace fmha950::assembly
