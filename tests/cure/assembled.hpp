#pragma once
// What clang and lld make of an assembly file.

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

inline std::vector<std::byte> assembled(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.write("kernel.s", text).string(),
                    object = (folder.path() / "kernel").string();
  const std::string command = fmt::format("{0} -x assembler -target amdgcn-amd-amdhsa -mcpu=gfx950 -c {1} -o "
                                          "{2}.o && {3} -shared {2}.o -o {2}.co",
                                          CLANG, file, object, LLD);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream made(object + ".co", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(made), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}
