#pragma once
// Runs Python programs as a user would, and what they wrote.

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

struct Finished {
  int status;         // exit code, -1 for a signal
  std::string output; // stdout and stderr
};

// `arguments` as a shell takes them. Debian's matplotlib is seen by Debian's Python.
inline Finished python(const std::string& arguments) {
  const std::string command = "/usr/bin/python3 -B " + arguments + " 2>&1";
  Finished finished{-1, ""};
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 256> buffer;
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) finished.output += buffer.data();
  const int status = pclose(pipe);
  if (WIFEXITED(status)) finished.status = WEXITSTATUS(status);
  return finished;
}

// A program of analysis/.
inline Finished analysis(const std::string& program_and_arguments) {
  return python(fmha950::source_path("analysis/") + program_and_arguments);
}

inline std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

inline std::string contents(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
