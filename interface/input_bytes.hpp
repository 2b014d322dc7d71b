#pragma once
// Bytes of the tensors that an operator makes for a problem, before it makes them.

#include <optional>

namespace fmha950 {

struct InputBytes {
  double kept = 0;                  // what goes to the device
  double original = 0;              // unquantised values that are kept beside it
  double making = 0;                // dropped when the tensors are made
  double pools = 0;                 // of `kept`, what the call writes to, or what strided=1 puts gaps into
  double copied = 0;                // what is named of it and may be copied to a workspace, in 16 bits
  std::optional<double> pairs = {}; // of a query and a key that it sees, where lengths do not say how many
};

} // namespace fmha950
