#pragma once
// Which functions were inlined where, from .debug_info. Read by LLVM, which may crash on damaged files (line_table.hpp):
// only once there is something to say about an instruction that was executed.

#include "emulator/loader/source_frame.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fmha950::loader {

class InlineFrames {
 public:
  explicit InlineFrames(std::span<const std::byte> elf); // the bytes must outlive it
  ~InlineFrames();
  InlineFrames(const InlineFrames&) = delete;
  // The innermost first; empty where the file says nothing.
  std::vector<SourceFrame> at(uint64_t address) const;

 private:
  struct Context;
  std::unique_ptr<Context> context_; // null: none that can be read
};

} // namespace fmha950::loader
