#pragma once
// What is printed to a file.
#include "tests/support/catch.hpp"

#include <cstdio>
#include <string>

template <class Print> std::string text_of_file(Print print) { // print(std::FILE*)
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  print(file);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}
