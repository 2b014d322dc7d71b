#pragma once
// Source lines of code addresses, from the code object's DWARF line tables.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fmha950::loader {

class SourceLines {
 public:
  explicit SourceLines(std::span<const std::byte> elf); // the bytes must outlive it
  ~SourceLines();
  std::string at(uint64_t address) const; // of the ELF file; "file:line", or "" when nothing is known

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

} // namespace fmha950::loader
