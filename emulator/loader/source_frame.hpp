#pragma once
// One of the functions that hold an instruction: the one that it is written in, or one that this was inlined into.

#include <string>

namespace fmha950::loader {

struct SourceFrame {
  std::string function,
      source; // "stage_tile(int)", "attention.hip:120": where it is, or calls what was inlined into it
  bool operator==(const SourceFrame&) const = default;
};

} // namespace fmha950::loader
