#pragma once
// One wave of the prefill kernel; prefill.hip says how the eight waves of a workgroup play together.

#include "attention/key_mask.hpp"
#include "attention/query_rows.hpp"
#include "gfx950/schedule.hpp"
#include "gfx950/unroll.hpp"
#include "impl_pipelined/descale_ring.hpp"
#include "impl_pipelined/key_rows.hpp"
#include "impl_pipelined/tile_products.hpp"

namespace fmha950::pipelined {

// Mfma: Fp8Mfma32x32x64 or Fp8Mfma32x32x16. Keys: a way of paging (key_rows.hpp). PageDescales: a descale per
// page. SoftCap: there is one. Softmax: attention::LazySoftmax<fp8_shift> or DirectSoftmax.
template <class Mfma, class Keys, bool PageDescales, bool SoftCap, class Softmax> class PrefillWave {
 public:
  FMHA950_INLINE PrefillWave(const PrefillArguments& arguments, const attention::WorkItem& item,
                             attention::KeyRange keys, LdsBytes lds)
      : arguments_(arguments), lds_(lds), products_(lds_address(lds)), keys_(arguments, item),
        descales_(arguments, item), score_scale_(arguments.score_scale), mask_(keys, item.key_length),
        whole_tiles_(mask_.whole_tiles()), first_wave_group_(wave_id() < waves / 2) {}

  // All key tiles of the item. There is at least one.
  FMHA950_INLINE void run(const attention::QueryRows& rows, int tile, int end) {
    first_tile_ = tile;
    products_.load_queries(arguments_.q, rows);
    if constexpr (PageDescales) pin(score_scale_);
    const bool long_enough = protection("drain_of_two_tiles") || end - tile > 2;
    fill(tile, long_enough);
    // The second group falls one phase behind.
    if (!first_wave_group_) barrier("second_group_behind");
    iterate<0, true>(tile);
    // The tile before the current one has the other parity of registers and LDS,
    // hence two iterations in a row.
    int left = end - tile - 1;
    for (; left >= 2; left -= 2) {
      iterate<1, false>(++tile);
      iterate<0, false>(++tile);
    }
    if (left == 0) return drain<1>();
    iterate<1, false>(++tile);
    drain<0>();
  }

  FMHA950_INLINE bool saw_nothing() const { return softmax_.saw_nothing(); }
  FMHA950_INLINE float denominator() const { return softmax_.denominator(); }
  FMHA950_INLINE float lse(float denominator) const { // base 2
    const float lse = softmax_.lse(denominator);
    return protection("lse_descale") || !PageDescales ? lse
                                                      : lse * __builtin_amdgcn_rcpf(descales_.current().k);
  }
  FMHA950_INLINE const auto& output() const { return output_; }
  // What is left to multiply the output by, besides 1 / denominator.
  FMHA950_INLINE float value_scale() const {
    if constexpr (!protection("v_descale")) return 1;
    return PageDescales ? descales_.current().v : arguments_.value_scale;
  }

 private:
  static constexpr int waves = prefill_threads / wave_lanes;
  static constexpr int lookups = Keys::lookups;
  // What a SIMD's waves wait for: at half the matrix rate the matrix unit, which a computing wave must not leave idle, else
  // the VALU, of which a wave in a memory phase needs little and soon.
  static constexpr bool matrix_bound = Mfma::instructions > 1;
  static constexpr int compute_priority = matrix_bound ? 1 : 0, memory_priority = 1 - compute_priority;
  // Whether scores are scaled in phase 1, all of a tile. No product of the wave stands beside it there, in whose shadow clang
  // takes packed instructions apart. Where exponentials keep the VALU busy, they are scaled a quarter ahead of P instead.
  static constexpr bool scales_at_once = matrix_bound || !Softmax::has_exponentials;
  // Operations that may stay in flight where the ones before them are waited for (prefill.hip: the queue).
  static constexpr int after_page = 2 * transfer; // and after V of the tile before
  static constexpr int after_k = 2 * transfer + lookups;

  // Leaves all as phase 3 does: the queue, K(tile) in registers, the page of tile + 2 on its way, whether
  // tile is masked.
  FMHA950_INLINE void fill(int tile, bool long_enough) {
    keys_.prepare(tile);
    keys_.look_up();
    keys_.prepare(tile + 1);
    if constexpr (lookups > 0) wait_vector_memory<0>("first_page_arrived");
    keys_.looked_up();
    keys_.resolve();
    if constexpr (PageDescales) descales_.advance(keys_.page());
    keys_.look_up();
    keys_.prepare(tile + 2);
    keys_.load_k(lds_ + KvTile::k_tile(0));
    if constexpr (lookups > 0) wait_vector_memory<transfer>("second_page_arrived");
    keys_.looked_up();
    keys_.resolve();
    if constexpr (PageDescales) descales_.advance(keys_.page());
    keys_.look_up();
    keys_.prepare(tile + 3);
    keys_.load_k(lds_ + KvTile::k_tile(1));
    keys_.load_v(lds_ + KvTile::v_tile(0));
    if (long_enough) {
      wait_vector_memory<after_page>({"first_k_arrived", "v_arrived_n"});
      barrier("first_barrier");
    }
    keys_.looked_up();
    products_.template read_keys<0>();
    wait_lds<0>("first_k_read");
    products_.pin_keys();
    masked_ = is_masked(tile);
  }

  template <int Parity, bool First> FMHA950_INLINE void iterate(int tile) {
    // Phase 0: S^T = K Q^T, beside the second half of the tile before.
    priority<compute_priority>();
    unrolled<4>([&](auto quarter) {
      products_.template multiply_keys<quarter>(scores_[Parity]);
      if constexpr (!First) {
        soften<1 - Parity, 1, quarter>();
        scale_ahead<1 - Parity, 1, quarter + 1>();
      }
      end_quarter();
    });
    pin(scores_[Parity]);
    if constexpr (!First) pin_softmax<1 - Parity, 1>();
    priority<memory_priority>();
    end_phase("barrier_0");

    // Phase 1: memory, and the maximum. Page of tile + 3; K(tile + 2) replaces K(tile);
    // V(tile - 1) comes into registers.
    if constexpr (!First) products_.template read_values<1 - Parity>();
    keys_.resolve();
    if constexpr (PageDescales) take_descales();
    const auto replace_k = [&] { keys_.load_k(lds_ + KvTile::k_tile(Parity)); };
    in_order([&] { keys_.look_up(); }, replace_k, "page_before_tiles");
    if constexpr (SoftCap && protection("cap_before_mask")) cap(scores_[Parity]);
    if (masked_) mask_.hide(scores_[Parity], tile);
    if constexpr (SoftCap && !protection("cap_before_mask")) cap(scores_[Parity]);
    softmax_.follow_if_grown(column_maximum(scores_[Parity]), exponent_scale(), tile - first_tile_);
    if constexpr (scales_at_once)
      unrolled<4>([&](auto quarter) {
        scale<Parity, 0, quarter>();
        scale<Parity, 1, quarter>();
      });
    wait_lds<0>("v_read");
    if constexpr (!First) products_.pin_values();
    wait_vector_memory<after_k>("k_arrived");
    end_phase("barrier_1");

    // Phase 2: O^T += V^T P^T of the tile before, beside the sum of its P and the first half of P of this one.
    priority<compute_priority>();
    scale_ahead<Parity, 0, 0>();
    if constexpr (!First) softmax_.sum(probabilities_[1 - Parity]);
    unrolled<4>([&](auto quarter) {
      if constexpr (!First) products_.template multiply_values<quarter>(probabilities_[1 - Parity], output_);
      soften<Parity, 0, quarter>();
      scale_ahead<Parity, 0, quarter + 1>();
      end_quarter();
    });
    if constexpr (!First) {
      pin(output_);
      softmax_.pin_sums();
    }
    pin_softmax<Parity, 0>();
    priority<memory_priority>();
    end_phase("barrier_2");

    // Phase 3: memory. V(tile + 1) replaces V(tile - 1); K(tile + 1) comes into registers. Here is time for
    // what the next phase 1 would otherwise have to compute: where tile + 4 is in the table, what is masked.
    products_.template read_keys<1 - Parity>();
    keys_.load_v(lds_ + KvTile::v_tile(1 - Parity));
    int ahead = tile + 4;
    pin_scalar(ahead); // clang would count what follows of it in every lane
    keys_.prepare(ahead);
    masked_ = is_masked(tile + 1);
    if constexpr (!First) rescale_output();
    wait_lds<0>("k_read");
    products_.pin_keys();
    wait_vector_memory<after_page>("v_arrived");
    keys_.looked_up();
    end_phase("barrier_3");
  }

  // What is left of the last tile: the second half of P, and its product with V.
  template <int Parity> FMHA950_INLINE void drain() {
    unrolled<4>([&](auto quarter) {
      soften<1 - Parity, 1, quarter>();
      scale_ahead<1 - Parity, 1, quarter + 1>();
    });
    // The second group's rows of V; it is one phase behind, and its last barrier is this one.
    if (first_wave_group_) barrier("drain_barrier");
    products_.template read_values<1 - Parity>();
    wait_lds<0>("last_v_read");
    products_.pin_values();
    softmax_.sum(probabilities_[1 - Parity]);
    unrolled<4>([&](auto quarter) {
      products_.template multiply_values<quarter>(probabilities_[1 - Parity], output_);
    });
    // Tiles past the end are still on their way to LDS: s_endpgm waits for them (ISA 12.5).
  }

  FMHA950_INLINE bool is_masked(int tile) const {
    return tile < whole_tiles_.begin || tile >= whole_tiles_.end;
  }

  static FMHA950_INLINE void end_phase(Protection named) {
    if (named.kept)
      barrier();
    else
      schedule_fence();
  }

  // Of the tile whose scores are softened: multiplied once, not in each phase.
  FMHA950_INLINE void take_descales() {
    descales_.advance(keys_.page());
    tile_scale_ = score_scale_ * descales_.current().k;
    pin(tile_scale_);
  }

  FMHA950_INLINE float score_scale() const {
    constexpr bool descaled = PageDescales && protection("k_descale");
    return descaled ? tile_scale_ : arguments_.score_scale;
  }
  FMHA950_INLINE float exponent_scale() const { return SoftCap ? 1 : score_scale(); }

  FMHA950_INLINE void cap(Float16 (&scores)[2]) const {
    for (auto& block : scores)
      for (int r = 0; r < 16; ++r) {
        const float doubled = block[r] * score_scale(), outer = arguments_.cap_outer;
        // Without the cap: times c / 2 = outer ln(2) / 2.
        block[r] = protection("soft_cap") ? soft_capped(doubled, outer) : doubled * outer * (ln2 / 2);
      }
  }

  // A quarter of a block of 32 keys: four items of each lane. Their scores become exponents, these P.
  template <int Parity, int Block, int Quarter> FMHA950_INLINE void scale() {
    Float16& scores = scores_[Parity][Block];
    for (int item = 4 * Quarter; item < 4 * Quarter + 4; item += 2) {
      const Float2 exponents = softmax_.exponents(Float2{scores[item], scores[item + 1]}, exponent_scale());
      scores[item] = exponents[0];
      scores[item + 1] = exponents[1];
    }
  }
  template <int Parity, int Block, int Quarter> FMHA950_INLINE void soften() {
    const Float16& exponents = scores_[Parity][Block];
    constexpr int first = 4 * Quarter;
    const Float2 low = softmax_.probabilities(Float2{exponents[first], exponents[first + 1]});
    const Float2 high = softmax_.probabilities(Float2{exponents[first + 2], exponents[first + 3]});
    probabilities_[Parity][Block][Quarter] = Softmax::round(low[0], low[1], high[0], high[1]);
  }
  // The quarter that follows, 4 the first of the next block.
  template <int Parity, int Block, int Next> FMHA950_INLINE void scale_ahead() {
    if constexpr (scales_at_once) return;
    schedule_fence();
    if constexpr (Next < 4)
      scale<Parity, Block, Next>();
    else if constexpr (Block == 0)
      scale<Parity, 1, 0>();
  }

  // Ends a quarter of the product. All work interleaved with it must finish here. If the quarter has several
  // matrix instructions, vector work (scaling where it is left for here, exponentials, sums, conversions) goes
  // between them. Asked for more in one piece, clang puts most behind the first matrix instruction.
  FMHA950_INLINE void end_quarter() {
    if constexpr (Mfma::instructions > 1) {
      interleave_with_mfma<1, 4, 0>();
      interleave_with_mfma<1, 0, 3>();
      interleave_with_mfma<1, 2, 1>();
      interleave_with_mfma<1, 8, 0>();
    }
    schedule_fence();
  }

  // What a phase has computed is computed in it:
  // without this the compiler moves it past the barrier, to its use.
  template <int Parity, int Block> FMHA950_INLINE void pin_softmax() {
    pin(probabilities_[Parity][Block]);
    softmax_.pin_state();
  }

  // What has been accumulated is in units of the reference and of V's descale of the tile before.
  // Seldom needed.
  FMHA950_INLINE void rescale_output() {
    const bool rescaled = softmax_.rescaled();
    bool needed = rescaled;
    float ratio = 1;
    if constexpr (PageDescales) {
      const float before = descales_.before().v, current = descales_.current().v;
      // Bits, as scalars have no comparison of floats.
      needed = needed || __builtin_bit_cast(uint32_t, before) != __builtin_bit_cast(uint32_t, current);
      ratio = protection("v_descale_ratio") ? before * __builtin_amdgcn_rcpf(current)
                                            : current * __builtin_amdgcn_rcpf(before);
    }
    if (needed) {
      if (rescaled) {
        ratio *= softmax_.factor();
        softmax_.rescale_sums();
      }
      if constexpr (protection("output_rescaled"))
        for (auto& block : output_) block *= ratio;
    }
    pin(output_);
    softmax_.pin_sums();
  }

  const PrefillArguments& arguments_;
  LdsBytes lds_;
  TileProducts<Mfma> products_;
  Keys keys_;
  DescaleRing descales_;
  float score_scale_;    // in a vector register with page descales
  float tile_scale_ = 0; // with the page's descale
  attention::KeyMask<keys_per_tile> mask_;
  attention::TileRange whole_tiles_; // [begin, end): every query of the wave sees all their keys
  bool first_wave_group_, masked_;
  int first_tile_ = 0;
  Softmax softmax_;
  Float16 scores_[2][2]; // by parity of the tile, block of 32 keys
  Word4 probabilities_[2][2];
  typename TileProducts<Mfma>::Output output_ = {};
};

} // namespace fmha950::pipelined
