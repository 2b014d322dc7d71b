#pragma once
// Allocations the program has made through HIP, by kind.

#include "emulator/hip/runtime.hpp"

#include <map>

namespace fmha950::hip {

enum class MemoryKind { device, managed, host_pinned, host_registered };

struct Allocation {
  uint64_t begin = 0, bytes = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
};

class Memory {
 public:
  static Memory& get();

  void* allocate(size_t bytes, MemoryKind kind, unsigned flags); // throws CallError
  void register_host(void* pointer, size_t bytes, unsigned flags);
  // What one of the kinds of `wanted` allocated at exactly this address, no longer known from here on: it is the caller's
  // to free. Throws CallError(`code`).
  Allocation take(void* pointer, std::initializer_list<MemoryKind> wanted, hipError_t code);
  static void free_memory(const Allocation& allocation);
  void release_all();
  std::optional<Allocation> find(const void* pointer); // interior pointers too

 private:
  std::mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by begin
};

} // namespace fmha950::hip
