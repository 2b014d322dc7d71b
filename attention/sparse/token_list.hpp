#pragma once
// The keys of a token: the rows of its prefix list, in the pool, then those of its extend list, in the chunk.
//
// Positions past the end are the last row's: nothing is looked up in a list's padding, whose ids are out of
// range, and nothing is read of rows that no list names, which may hold NaN.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::attention::sparse {

using namespace gfx950;

class TokenList {
 public:
  // Arguments: a kernel's, with the four tensors of the lists (operators/sparse_prefill/sparse_tensors.hpp).
  template <class Arguments> FMHA950_INLINE TokenList(const Arguments& arguments, uint32_t token) {
    const int32_t prefix_begin = arguments.prefix_indptr[token];
    const int32_t extend_begin = arguments.extend_indptr[token];
    prefix_length_ = arguments.prefix_indptr[token + 1] - prefix_begin;
    length_ = prefix_length_ + arguments.extend_indptr[token + 1] - extend_begin;
    prefix_ = arguments.prefix_indices + prefix_begin;
    // So that both lists are indexed by position.
    extend_ = arguments.extend_indices + (protection("extend_indptr") ? extend_begin : prefix_begin) -
              static_cast<int64_t>(prefix_length_);
  }

  FMHA950_INLINE int length() const { return length_; }
  FMHA950_INLINE int clamped(int position) const {
    return minimum(position, length_ - 1 + off_by_one("position_clamp_exact"), "position_clamp");
  }
  // Whether a clamped position is in the pool's list.
  FMHA950_INLINE bool in_pool(int position) const { return position < prefix_length_; }
  FMHA950_INLINE const int32_t* entry(int position) const {
    return (in_pool(position) ? prefix_ : extend_) + position;
  }

  FMHA950_INLINE void pin_pointers() {
    pin_scalar(prefix_);
    pin_scalar(extend_);
  }

 private:
  const int32_t *prefix_, *extend_;
  int prefix_length_, length_;
};

} // namespace fmha950::attention::sparse
