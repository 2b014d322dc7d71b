#pragma once
// Whether num_records of a buffer's descriptor keeps anything out: not where all offsets are below it, on all
// paths, in all lanes.

#include "emulator/static_check/scaled_values.hpp"

namespace fmha950::static_check {

class BufferBounds {
 public:
  enum class Within : uint8_t {
    unknown,
    entries, // given that the entries of a table are below the count that num_records is made of
    always,
  };
  explicit BufferBounds(const Code& code);
  Within of(size_t index) const { return within_[index]; } // of a buffer instruction

 private:
  static Within within(const Code& code, const ScaledValues& values, size_t index);

  std::vector<Within> within_; // the least of all waves
};

} // namespace fmha950::static_check
