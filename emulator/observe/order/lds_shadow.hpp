#pragma once
// What lds_order.hpp remembers per cell of LDS: cells are dwords, or bytes once a workgroup needed them.

#include "emulator/observe/operation/lds_footprint.hpp"

#include <algorithm>
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

// One Epoch per cell. The latest accesses stand in a list beside the cells: where waits and barriers order them before
// anyone asks about their bytes, as they do in most code, they are dropped from it and never reach the cells.
class LdsColumn {
 public:
  void resize(uint32_t bytes) {
    const size_t cells = (bytes + 3) >> shift_;
    if (cells > cells_.size()) cells_.resize(cells);
  }
  void clear() {
    std::memset(cells_.data(), 0, cells_.size() * sizeof(Epoch));
    in_cells_ = 0;
    waiting_ = 0;
  }
  void split() { // dwords become bytes
    constexpr size_t bytes_per_dword = 4;
    std::vector<Epoch> parts;
    parts.reserve(cells_.size() * bytes_per_dword);
    for (Epoch epoch : cells_) parts.insert(parts.end(), bytes_per_dword, epoch);
    cells_.swap(parts);
    shift_ = 0;
  }

  // Numbers rise. The footprint stays where it is until it was dropped or settled.
  void put(const LdsFootprint& touched, uint32_t number) {
    if (waiting_ == most_waiting) settle(most_waiting / 2);
    begins_[waiting_] = touched.begin;
    ends_[waiting_] = touched.end;
    numbers_[waiting_] = number;
    footprints_[waiting_++] = &touched;
    begin_ = waiting_ == 1 ? touched.begin : std::min(begin_, touched.begin);
    end_ = waiting_ == 1 ? touched.end : std::max(end_, touched.end);
  }
  // Nobody will ask whether there was an access up to this number.
  void drop_up_to(uint32_t number) {
    size_t dropped = 0;
    while (dropped < waiting_ && numbers_[dropped] <= number) ++dropped;
    if (dropped) drop(dropped);
  }
  void drop_waiting() { waiting_ = 0; }
  void settle() { // all into the cells
    if (waiting_) settle(waiting_);
  }

  // Whether a cell's last access has a number above `limit`. If so everything is settled. False, too, when none of
  // those counts(number).
  template <class Counts> bool any_after(const LdsFootprint& touched, uint32_t limit, Counts counts) {
    if (in_cells_ <= limit && !is_any_waiting(touched, limit, counts)) [[likely]]
      return false;
    settle();
    const Epoch latest = latest_epoch(limit);
    bool any = false;
    for (const LdsFootprint::Span& span : touched.spans)
      any |= any_cell_after(span.begin >> shift_, (span.end - span.begin) >> shift_, latest);
    return any;
  }
  Epoch operator[](uint32_t cell) const { return cells_[cell]; } // when it is settled

 private:
  using Four = Epoch __attribute__((ext_vector_type(4)));

  void settle(size_t count) { // the oldest
    for (size_t i = 0; i < count; ++i)
      for (const LdsFootprint::Range& range : footprints_[i]->ranges)
        set(range.begin >> shift_, range.bytes >> shift_, epoch_of(numbers_[i], range.lane));
    in_cells_ = numbers_[count - 1];
    drop(count);
  }
  void set(uint32_t cell, uint32_t count, Epoch epoch) {
    Epoch* at = &cells_[cell];
    if (count == 4) {
      const Four four = {epoch, epoch, epoch, epoch};
      std::memcpy(at, &four, sizeof four);
      return;
    }
    for (uint32_t i = 0; i < count; ++i) at[i] = epoch;
  }
  template <class Counts>
  bool is_any_waiting(const LdsFootprint& touched, uint32_t limit, Counts counts) const {
    if (!waiting_ || touched.end <= begin_ || touched.begin >= end_) return false;
    for (size_t i = 0; i < waiting_; ++i)
      if (begins_[i] < touched.end && touched.begin < ends_[i] && numbers_[i] > limit && counts(numbers_[i]))
        return true;
    return false;
  }
  bool any_cell_after(uint32_t cell, uint32_t count, Epoch limit) const {
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
  void drop(size_t count) { // the oldest
    waiting_ -= count;
    const auto forward = [&](auto& list) { std::copy_n(list + count, waiting_, list); };
    forward(begins_), forward(ends_), forward(numbers_), forward(footprints_);
    begin_ = waiting_ ? *std::min_element(begins_, begins_ + waiting_) : 0;
    end_ = waiting_ ? *std::max_element(ends_, ends_ + waiting_) : 0;
  }

  static constexpr size_t most_waiting = 128;
  size_t waiting_ = 0;
  uint32_t begin_ = 0, end_ = 0; // around all that wait
  uint32_t in_cells_ = 0;        // the latest number that was settled
  int shift_ = 2;                // of a cell's bytes
  uint32_t begins_[most_waiting], ends_[most_waiting], numbers_[most_waiting];
  const LdsFootprint* footprints_[most_waiting];
  std::vector<Epoch> cells_;
};

} // namespace fmha950::observe
