#pragma once
// Device memory that the host and waves share; zero, and released with its owner.

#include "emulator/memory/address_space.hpp"

#include <memory>
#include <new>

namespace fmha950::hostcall {

class DeviceBlock {
 public:
  explicit DeviceBlock(size_t bytes) : memory_(machine::AddressSpace::device().allocate_coherent(bytes)) {
    if (!memory_) throw std::bad_alloc();
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(memory_.get()); }
  template <class T> T* at(size_t offset) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory_.get()) + offset);
  }

 private:
  struct Release {
    void operator()(void* memory) const { machine::AddressSpace::device().release(memory); }
  };
  std::unique_ptr<void, Release> memory_;
};

} // namespace fmha950::hostcall
