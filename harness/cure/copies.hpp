#pragma once
// Copies of a place: what unrolling, inlining or a template made of one line of the source. A change of that line is one in
// each of them.

#include "harness/cure/protection.hpp"
#include "harness/cure/ways.hpp"

#include <set>
#include <utility>
#include <vector>

namespace fmha950::harness::cure {

class Copies {
 public:
  // `changed`: instructions at which nothing is put.
  Copies(const hip::Kernel& kernel, const std::set<CodePlace>& changed);

  // The protection in each copy of its place, the narrower choice first; only choices of more than one place:
  // - before instructions of the same line and opcode that have the same barriers and memory instructions before or behind them;
  // - before all of the same line and opcode, where there is line information;
  // - right behind the copies of the last barrier or memory instruction before its place: the compiler may have put
  //   arithmetic elsewhere.
  std::vector<std::vector<Protection>> of(const Protection& protection) const;

 private:
  // The protection so many instructions behind each that is like `of`.
  std::vector<Protection> at_each(const Protection& protection, size_t of, size_t behind,
                                  bool same_around) const;
  bool is_alike(size_t one, size_t other) const;
  std::pair<size_t, size_t> body_of(size_t index) const;
  bool has_same_around(size_t one, size_t other) const;

  std::vector<Place> places_; // of the whole kernel, and of the functions it calls
  std::vector<bool> shapes_;  // whether it is a barrier or touches memory: copies have these in common
  const std::set<CodePlace>& changed_;
};

} // namespace fmha950::harness::cure
