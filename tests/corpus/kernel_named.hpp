#pragma once
// A kernel of the corpus.

#include "harness/mutation/corpus.hpp"

#include "tests/support/catch.hpp"

namespace fmha950::harness {

inline CorpusKernel kernel_named(const std::string& name) {
  for (CorpusKernel& kernel : corpus())
    if (kernel.name == name) return kernel;
  FAIL("no kernel " << name);
  return {};
}

} // namespace fmha950::harness
