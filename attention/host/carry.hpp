#pragma once
// A buffer's address is a base and an offset of 32 bits. Whether the carry out of the lower half of their sum counts is
// disputed (docs/hardware/errata.md, CK #9214; FMHA950_CARRY). A kernel is right either way if there is none: if no
// multiple of 4 GiB lies behind the first byte of what it reaches from one base.

#include "interface/hip.hpp"

#include <cstddef>
#include <cstdint>

namespace fmha950::attention {

// Whether a multiple of 4 GiB lies inside one of `pieces` that follow one another from `begin` on, `bytes` each.
bool carries_inside(const void* begin, uint64_t pieces, uint64_t bytes);

// How far behind `begin` such pieces may start so that none has a multiple inside: less than `bytes`. 0 where it is impossible,
// which takes more than 4 GiB of them.
uint64_t start_without_carry(const void* begin, uint64_t pieces, uint64_t bytes);

// Memory for such pieces, placed so where it is possible: up to 4 GiB, and if a power of two of bytes makes a piece.
class PieceBuffer {
 public:
  PieceBuffer() = default;
  PieceBuffer(uint64_t pieces, uint64_t bytes);

  template <class T> T* as() const { return reinterpret_cast<T*>(buffer_.as<std::byte>() + begin_); }
  size_t bytes() const { return buffer_.bytes(); } // of all that is allocated

 private:
  hip::Buffer buffer_;
  size_t begin_ = 0;
};

} // namespace fmha950::attention
