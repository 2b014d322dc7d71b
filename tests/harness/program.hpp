#pragma once
// Runs the program as a user does, on the embedded device.
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <vector>

struct Ran {
  int exit_code = 0;
  std::vector<std::string> out, err; // lines
};

inline std::vector<std::string> lines_of(std::istream& stream) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Of what std::system() returns. A program that a signal ended has none: it gets a shell's, which is no success.
inline int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The test process itself runs on a fake HIP library; the program finds the embedded device. `environment` is
// NAME=VALUE pairs.
inline Ran run_fmha950(const std::string& arguments, const std::string& environment = "") {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out", err = folder.path() / "err";
  const std::string command = "env -u FMHA950_HIP_LIBRARY " + environment + " " FMHA950_HARNESS " " +
                              arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  std::ifstream out_file(out), err_file(err);
  return {exit_code_of(status), lines_of(out_file), lines_of(err_file)};
}
