#pragma once
// Code objects of this folder's CMakeLists.txt, and what LLVM's tools print about them.

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

inline std::string code_object_path(const std::string& name) {
  return CODE_OBJECTS "/loader_" + name + ".co";
}

inline std::vector<std::byte> read_code_object(const std::string& name) {
  std::ifstream file(code_object_path(name), std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + code_object_path(name));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

inline std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return output;
}

// The number after `key` and blanks or a colon, looked for after `start`.
inline long number_after(const std::string& text, const std::string& start, const std::string& key) {
  const size_t from = text.find(start);
  const size_t at = from == std::string::npos ? from : text.find(key, from);
  if (at == std::string::npos) throw std::runtime_error("no " + key + " after " + start);
  return std::stol(text.substr(text.find_first_of("0123456789", at + key.size())));
}
