#pragma once
// Which parts of a wave's registers hold values that nobody wrote: bytes and lanes of VGPRs, bits of SGPRs.

#include "emulator/machine/wave.hpp"
#include "emulator/observe/initialised/initialised_bits.hpp"
#include "emulator/observe/initialised/origin.hpp"
#include "emulator/observe/operation/register_set.hpp"
#include "numerics/target.hpp"

#include <array>

namespace fmha950::observe {

constexpr uint64_t all_lanes = ~uint64_t{0};

// Per byte of a VGPR: the lanes in which it is invalid.
using ByteLanes = std::array<uint64_t, 4>;
inline uint64_t any_byte(const ByteLanes& bytes) { return bytes[0] | bytes[1] | bytes[2] | bytes[3]; }

class RegisterValidity {
 public:
  static constexpr int vgprs = target.vgprs_per_lane, sgprs = 256; // SGPRs by code, SCC among them

  void reset() { // nothing was written
    for (int r = 0; r < vgprs; ++r)
      set_vgpr(r, {all_lanes, all_lanes, all_lanes, all_lanes}, Origin::of_vgpr(r));
    for (int code = 0; code < sgprs; ++code) set_sgpr(code, ~0u, Origin::of_sgpr(code));
  }
  // What is set from now on is computed by this instruction; 0: by none.
  void set_reader(uint64_t instruction) { reader_ = instruction; }

  const ByteLanes& vgpr(int r) const { return vector_[clamped(r)]; }
  void set_vgpr(int r, const ByteLanes& invalid, uint64_t origin) {
    r = clamped(r);
    vector_[r] = invalid;
    set_origin(vector_origin_[r], origin);
    suspects_.set_vgpr(r, any_byte(invalid) != 0);
  }
  uint32_t sgpr(int code) const { return scalar_[code & 255]; }
  uint64_t sgpr64(int code) const { return sgpr(code) | static_cast<uint64_t>(sgpr(code + 1)) << 32; }
  void set_sgpr(int code, uint32_t invalid, uint64_t origin) {
    code &= 255;
    scalar_[code] = invalid;
    set_origin(scalar_origin_[code], origin);
    suspects_.set_sgpr(code, invalid != 0);
  }
  void set_sgpr64(int code, uint64_t invalid, uint64_t origin) {
    set_sgpr(code, static_cast<uint32_t>(invalid), origin);
    set_sgpr(code + 1, static_cast<uint32_t>(invalid >> 32), origin);
  }
  bool any_invalid(int first_vgpr, int count) const {
    for (int r = first_vgpr; r < first_vgpr + count; ++r)
      if (suspects_.has_vgpr(clamped(r))) return true;
    return false;
  }

  // Origins of invalid values (origin.hpp).
  uint64_t vgpr_origin(int r) const { return vector_origin_[clamped(r)]; }
  uint64_t sgpr_origin(int code) const { return scalar_origin_[code & 255]; }

  // Registers that are not wholly valid.
  const RegisterSet& suspects() const { return suspects_; }

 private:
  void set_origin(uint64_t& of, uint64_t origin) { // the same one: what is left of an older value
    if (of != origin) of = Origin::read_by(origin, reader_);
  }
  static int clamped(int r) { return r & (vgprs - 1); }
  RegisterSet suspects_;
  uint64_t reader_ = 0;
  ByteLanes vector_[vgprs];
  uint32_t scalar_[sgprs];
  uint64_t vector_origin_[vgprs], scalar_origin_[sgprs];
};

} // namespace fmha950::observe
