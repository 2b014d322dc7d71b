#pragma once
// Reads the tables that goldens/generate.py writes.
#include "tests/support/source_path.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fmha950::numerics {

template <class Word> std::vector<Word> golden(const std::string& name) {
  const auto path = std::filesystem::path(source_path("tests/numerics/goldens")) / name;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("no golden table " + path.string());
  std::vector<Word> words(size_t(file.tellg()) / sizeof(Word));
  file.seekg(0).read(reinterpret_cast<char*>(words.data()), std::streamsize(words.size() * sizeof(Word)));
  if (words.empty()) throw std::runtime_error("empty golden table " + path.string());
  return words;
}

} // namespace fmha950::numerics
