#pragma once
// Which page of a request's list a key lies in, and in which of its slots: by a shift where pages are a power of two, else by
// a multiplication.

#include "attention/page_blocks.hpp"
#include "gfx950/mutant.hpp"

namespace fmha950::attention {

using namespace gfx950;

class PagesByShift {
 public:
  FMHA950_INLINE PagesByShift(uint32_t page_shift) : shift_(page_shift), mask_(low_bits(page_shift)) {}

  FMHA950_INLINE uint32_t page(uint32_t key) const { return key >> shift_; }
  FMHA950_INLINE uint32_t slot(uint32_t key) const { return key & mask_; }

 private:
  uint32_t shift_, mask_;
};

class PagesOfBlocks {
 public:
  FMHA950_INLINE PagesOfBlocks(const PageBlocks& blocks) : blocks_(blocks) {}

  FMHA950_INLINE uint32_t page(uint32_t key) const {
    const uint64_t product = static_cast<uint64_t>(key >> blocks_.shift) * blocks_.reciprocal;
    return static_cast<uint32_t>(product >> 32);
  }
  FMHA950_INLINE uint32_t slot(uint32_t key) const {
    return key - page(key) * multiplier(blocks_.page_size, "page_of_blocks");
  }

 private:
  PageBlocks blocks_;
};

} // namespace fmha950::attention
