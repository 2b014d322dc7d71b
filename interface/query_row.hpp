#pragma once

namespace fmha950 {

struct QueryRow { // row `query` (0-based within its request) of every query head
  int request = 0;
  int query = 0;
  bool operator==(const QueryRow&) const = default;
};

} // namespace fmha950
