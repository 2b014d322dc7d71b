#pragma once
// The code objects of this project, as the build made them.

#include "emulator/loader/code_object.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace fmha950::test {

inline std::filesystem::path code_object_path(const std::string& name) {
  return std::filesystem::path(CODE_OBJECTS) / (name + ".co");
}

inline std::unique_ptr<loader::CodeObject> load_code_object(const std::string& name) {
  std::ifstream file(code_object_path(name), std::ios::binary);
  if (!file) throw std::runtime_error("cannot read code object " + name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::make_unique<loader::CodeObject>(std::as_bytes(std::span(text)));
}

} // namespace fmha950::test
