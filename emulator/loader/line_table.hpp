#pragma once
// The line tables of a .debug_line section (DWARF 2 to 5, section 6.2 "Line Number Information" of each). Our
// own reader because LLVM's crashes on tables that are damaged, and code objects come from anywhere.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fmha950::loader {

struct LineSections {
  std::span<const std::byte> line;         // .debug_line
  std::span<const std::byte> line_strings; // .debug_line_str
  std::span<const std::byte> strings;      // .debug_str
};

class LineTable {
 public:
  LineTable() = default;
  // Reads as far as the tables make sense; the sections must outlive it.
  explicit LineTable(const LineSections& sections);
  // "file:line", the file as the table names it, or "" when nothing is known. Line 0 stands for code that the
  // compiler made or moved: it takes the line of what lies before it.
  std::string at(uint64_t address) const;
  // The same with the file's directory, as far as the table names it: "/home/me/kernels/tile.hip:32".
  std::string path_at(uint64_t address) const;

 private:
  class Reader;
  struct Row {
    uint64_t address = 0;
    uint32_t file = 0; // index into files_
    uint32_t line = 0;
  };
  struct Sequence { // rows_[first, last) cover [begin, end)
    uint64_t begin = 0, end = 0;
    size_t first = 0, last = 0;
  };
  using Name = std::span<const std::byte>; // up to its first zero byte
  struct File {
    Name name, directory, base; // each relative to the next, or absolute; base: where the compiler ran
  };
  const Row* row_at(uint64_t address) const; // null: nothing is known
  std::vector<File> files_;
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;
};

} // namespace fmha950::loader
