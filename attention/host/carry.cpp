#include "attention/host/carry.hpp"

namespace fmha950::attention {
namespace {

constexpr uint64_t line = uint64_t{1} << 32;

// From `address` to the next multiple behind it.
uint64_t to_next_line(const void* address) { return line - reinterpret_cast<uint64_t>(address) % line; }

} // namespace

bool carries_inside(const void* begin, uint64_t pieces, uint64_t bytes) {
  for (uint64_t at = to_next_line(begin); at < pieces * bytes; at += line)
    if (at % bytes != 0) return true;
  return false;
}

uint64_t start_without_carry(const void* begin, uint64_t pieces, uint64_t bytes) {
  if (!carries_inside(begin, pieces, bytes)) return 0;
  const uint64_t later = to_next_line(begin) % bytes; // the first multiple falls between two pieces
  return carries_inside(static_cast<const std::byte*>(begin) + later, pieces, bytes) ? 0 : later;
}

PieceBuffer::PieceBuffer(uint64_t pieces, uint64_t bytes) : buffer_(pieces * bytes) {
  if (!carries_inside(buffer_.get(), pieces, bytes)) return;
  buffer_ = hip::Buffer((pieces + 1) * bytes);
  begin_ = start_without_carry(buffer_.get(), pieces, bytes);
}

} // namespace fmha950::attention
