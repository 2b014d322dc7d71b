#pragma once
// Page descales: a tile has one page, hence one descale for K and one for V, which are there with K. K's goes
// into the scale of the scores, V's into the unit of what is accumulated.

#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/variant.hpp"

namespace fmha950::fused {

class PageDescales {
 public:
  // Starts to read those of a tile from its list, LIST from `lists` on.
  template <int LIST> FMHA950_INLINE void read(uint32_t lists) {
    read_lds_word<LIST>(words_[0], lists);
    read_lds_word<LIST + int(list_bytes) / 2>(words_[1], lists);
  }
  // They are there.
  FMHA950_INLINE void arrived() {
    pin(words_);
    k_ = scalar(words_[0]);
    before_ = v_;
    v_ = scalar(words_[1]);
  }

  FMHA950_INLINE float k() const { return multiplier(k_, "k_descale"); }
  FMHA950_INLINE float v() const { return v_; }
  FMHA950_INLINE bool v_changed() const { return before_ != v_; }
  // What was accumulated is in units of the descale before.
  FMHA950_INLINE float v_ratio() const {
    return protection("v_descale_ratio") ? before_ * __builtin_amdgcn_rcpf(v_)
                                         : v_ * __builtin_amdgcn_rcpf(before_);
  }

 private:
  static FMHA950_INLINE float scalar(uint32_t word) {
    return bits_as<float>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
  }

  uint32_t words_[2];
  float k_ = 1, v_ = 1, before_ = 1;
};

} // namespace fmha950::fused
