#pragma once
// Buffer accesses that the resource descriptor's num_records clamped: counted, not an error, because kernels
// rely on it for tails (DESIGN.md section 5 item 5). A count where none is expected is a bug that hides.

#include "emulator/observe/operation/memory_operation.hpp"

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace fmha950::loader {
struct Kernel;
}

namespace fmha950::observe {

class ClampTotals { // of the process, by kernel and instruction
 public:
  void add(const loader::Kernel& kernel, const isa::Instruction& in, uint64_t lanes);
  void clear();
  std::string text() const; // "tail_copy +0x40 copy.hip:12 buffer_load_dword v1, ...: 60 lanes clamped"

 private:
  struct Key {
    std::string kernel;
    uint64_t offset;
    auto operator<=>(const Key&) const = default;
  };
  struct Total {
    std::string instruction, source;
    uint64_t lanes = 0;
  };
  mutable std::mutex mutex_;
  std::map<Key, Total> totals_;
};

class ClampCounts { // of one host thread during one launch
 public:
  ClampCounts(const loader::Kernel& kernel, ClampTotals& totals) : kernel_(kernel), totals_(totals) {}
  ~ClampCounts();
  ClampCounts(const ClampCounts&) = delete;
  void memory(const MemoryEvent& event);

 private:
  const loader::Kernel& kernel_;
  ClampTotals& totals_;
  std::unordered_map<const isa::Instruction*, uint64_t> lanes_;
};

} // namespace fmha950::observe
