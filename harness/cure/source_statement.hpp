#pragma once
// What a source line says, to tell a wait, barrier or s_nop that somebody wrote from one that the compiler put there: line
// tables give both the line of the statement that they belong to.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness::cure {

class Sources {
 public:
  // The statement that begins at "PATH:LINE", without comments: up to the line on which its parentheses are closed. A path that
  // is not absolute counts from the working directory, else from this project's. Nothing if there is no such line to read.
  std::optional<std::string> statement(const std::string& path_and_line);

 private:
  const std::vector<std::string>& lines_of(const std::string& path);
  std::map<std::string, std::vector<std::string>> files_; // by path; empty: not there
};

// Whether the statement asks for it: `field` is "vmcnt", "lgkmcnt", "barrier" or "nop". One that waits on one counter by name does
// not ask for the other. The names of macros and functions count: WAIT_ALL(), __syncthreads().
bool asks_for(std::string_view statement, std::string_view field);

} // namespace fmha950::harness::cure
