#pragma once
// What lds_order.hpp remembers per cell of LDS: cells are dwords, or bytes once a workgroup needed them.

#include <cstdint>
#include <cstring>
#include <vector>

namespace fmha950::observe {

// Who touched a cell last: a rising number << 6 | lane. Signed, as SSE2 compares them.
using Epoch = int32_t;
constexpr uint32_t last_epoch_number = (1u << 25) - 1;
constexpr Epoch epoch_of(uint32_t number, int lane) { return static_cast<Epoch>(number << 6 | lane); }
constexpr Epoch latest_epoch(uint32_t number) { return epoch_of(number, 63); } // of this number
constexpr uint32_t number_of(Epoch epoch) { return static_cast<uint32_t>(epoch) >> 6; }
constexpr int lane_of(Epoch epoch) { return epoch & 63; }

class LdsColumn { // one Epoch per cell
 public:
  void resize(size_t cells) {
    if (cells > cells_.size()) cells_.resize(cells);
  }
  void clear() { std::memset(cells_.data(), 0, cells_.size() * sizeof(Epoch)); }
  void split(int factor) { // each cell becomes `factor` cells
    std::vector<Epoch> parts;
    parts.reserve(cells_.size() * factor);
    for (Epoch epoch : cells_) parts.insert(parts.end(), factor, epoch);
    cells_.swap(parts);
  }
  Epoch operator[](uint32_t cell) const { return cells_[cell]; }
  void set(uint32_t cell, uint32_t count, Epoch epoch) {
    Epoch* at = &cells_[cell];
    if (count == 4) {
      const Four four = {epoch, epoch, epoch, epoch};
      std::memcpy(at, &four, sizeof four);
      return;
    }
    for (uint32_t i = 0; i < count; ++i) at[i] = epoch;
  }
  bool any_after(uint32_t cell, uint32_t count, Epoch limit) const {
    const Epoch* at = &cells_[cell];
    Four after = {};
    for (; count >= 4; count -= 4, at += 4) {
      Four four;
      std::memcpy(&four, at, sizeof four);
      after |= four > limit;
    }
    bool any = after[0] | after[1] | after[2] | after[3];
    for (; count; --count, ++at) any |= *at > limit;
    return any;
  }

 private:
  using Four = Epoch __attribute__((ext_vector_type(4)));
  std::vector<Epoch> cells_;
};

} // namespace fmha950::observe
