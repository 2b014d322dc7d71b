#include "emulator/observe/initialised/memory_view.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fmha950::observe {

void MemoryView::start(uint64_t scratch_begin, uint64_t scratch_end) {
  if (scratch_end <= scratch_begin) {
    scratch_.reset();
  } else if (scratch_ && scratch_->begin() == scratch_begin && scratch_->end() == scratch_end) {
    scratch_->make_invalid();
  } else {
    scratch_ = std::make_shared<RegionValidity>(scratch_begin, scratch_end);
  }
  std::fill(std::begin(recent_), std::end(recent_), Slot{});
}

RegionValidity* MemoryView::region_of(uint64_t address) {
  for (int i = 0; i < slots; ++i)
    if (address - recent_[i].begin < recent_[i].end - recent_[i].begin) {
      if (i) std::rotate(recent_, recent_ + i, recent_ + i + 1);
      return recent_[0].region.get();
    }
  std::rotate(recent_, recent_ + slots - 1, recent_ + slots);
  if (scratch_ && scratch_->contains(address, 1)) {
    recent_[0] = {scratch_->begin(), scratch_->end(), scratch_};
  } else if (auto region = device_.find(address)) {
    recent_[0] = {region->begin(), region->end(), std::move(region)};
  } else { // what is known of the gap: this page
    const uint64_t page = address / RegionValidity::block_bytes * RegionValidity::block_bytes;
    recent_[0] = {address, page + RegionValidity::block_bytes, nullptr};
  }
  return recent_[0].region.get();
}

bool MemoryView::are_valid(const uint64_t (&addresses)[64], uint32_t bytes) {
  constexpr uint64_t block = RegionValidity::block_bytes;
  const RegionValidity* region = region_of(addresses[0]);
  const uint64_t begin = recent_[0].begin, size = recent_[0].end - begin;
  bool valid = true;
  uint64_t last = ~uint64_t{0}; // block that was found valid
  for (const uint64_t address : addresses) {
    valid &= address - begin < size && address % block + bytes <= block;
    if (!valid) return false;
    if (!region || address / block == last) continue;
    if (!region->is_valid_block(address)) return false;
    last = address / block;
  }
  return true;
}

} // namespace fmha950::observe
