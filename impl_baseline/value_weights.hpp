#pragma once
// V's page descales go into P before it is rounded: here those of each key, in tile_weights.hpp those of whole
// tiles. So what is rounded is not P but a key's weight w = P * descale.
// Normal numbers of fp8 span 2^15, of fp16 2^30: the weights must use that range, whatever their descales are.
// Two measures keep them from overflowing and from vanishing, of which numbers of 16 bits need only the first:
//   - A unit N follows the largest weight of a query from tile to tile, up and down. The tile enters the
//     product as w * 2^peak / N, and what was accumulated is multiplied by the ratio previous / current. The
//     key that dominates a row is exact.
//     N stays while the largest weight is within a factor of 16 below it, so that most tiles rescale nothing.
//   - The pages of a tile may have descales that are far apart (weigh() says so). Then what rounding took
//     from the weights gets a product of its own: keys of tiny descales, whose stored V is large, keep their
//     bits beside keys of huge ones.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/key_descales.hpp"

namespace fmha950::baseline {

template <class Variant> class ValueWeights {
 public:
  using Items = Float16[Variant::key_blocks];
  using Output = Float16[Variant::column_blocks];
  static constexpr float peak = 1 << Variant::peak;
  static constexpr bool has_residues = __is_same(typename Variant::Operand, fp8);
  // Half a step below the peak, 8, becomes the peak.
  static constexpr float residue_scale = 32;

  // P of a tile becomes its weights in units of N / peak; `output` and N follow. `factor`: of the softmax,
  // for what was accumulated. Returns whether residues matter, the same for the wave.
  FMHA950_INLINE bool weigh(Items& probabilities, uint32_t descales, float factor, Output& output) {
    KeyDescales<Variant> of_key;
    of_key.read(descales);
    wait_lds<0>("v_descales_read");
    pin(of_key.quads);
    if constexpr (protection("v_descale")) of_key.multiply(probabilities);
    follow(column_maximum(probabilities), factor, output);
    const float to_unit = peak * __builtin_amdgcn_rcpf(unit_);
    for (auto& block : probabilities) block *= to_unit;
    return has_residues && protection("residues") && of_key.spread_over(8);
  }

  // What rounding left of the weights, times residue_scale.
  static FMHA950_INLINE void keep_residue(Items& weights, const Word4 (&rounded)[Variant::key_steps]) {
    for (int block = 0; block < Variant::key_blocks; ++block)
      for (int r = 0; r < 16; r += 2) {
        const Float2 pair = fp8_pair(rounded[block][r / 4] >> (r % 4 * 8));
        weights[block][r] = (weights[block][r] - pair[0]) * residue_scale;
        weights[block][r + 1] = (weights[block][r + 1] - pair[1]) * residue_scale;
      }
  }

  // What one unit of the output is worth.
  FMHA950_INLINE float unit() const { return unit_ * (1 / peak); }

 private:
  FMHA950_INLINE void follow(float largest, float factor, Output& output) {
    const float carried = unit_ * factor;
    largest_ = maximum(largest_ * factor, largest);
    // Bounded from below, so that the output stays finite however small a tile's weights are.
    const float of_row = protection("unit_bounded_by_row") ? largest_ * 0x1p-60f : 0;
    const float wanted = maximum(maximum(largest, of_row), protection("unit_bounded") ? 0x1p-100f : 0);
    const bool far_below = wanted < carried * (1.0f / 16) && protection("unit_follows_down");
    const bool above = wanted > carried && protection("unit_follows_up");
    unit_ = above || far_below ? wanted : carried;
    if (__builtin_amdgcn_ballot_w64(unit_ != carried) == 0) return;
    const float ratio = protection("v_descale_ratio") ? carried * __builtin_amdgcn_rcpf(unit_)
                                                      : unit_ * __builtin_amdgcn_rcpf(carried);
    for (auto& block : output) block *= unit_ == carried ? 1 : ratio;
  }

  float unit_ = 0x1p-100f; // N
  float largest_ = 0;      // of all tiles so far
};

} // namespace fmha950::baseline
