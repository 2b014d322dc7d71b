#pragma once
// One wave of the kernel; attention.hip says how the four waves of a workgroup play together.

#include "attention/query_rows.hpp"
#include "impl_baseline/key_product.hpp"
#include "impl_baseline/kv_stager.hpp"
#include "impl_baseline/tile_softmax.hpp"
#include "impl_baseline/tree_mask.hpp"
#include "impl_baseline/value_product.hpp"
#include "impl_baseline/value_weights.hpp"

namespace fmha950::baseline {

template <class Variant> class AttentionWave {
 public:
  using Stager = KvStager<Variant>;
  using Lds = LdsLayout<Variant>;
  using Keys = KeyProduct<Variant>;
  using Values = ValueProduct<Variant>;
  using Weights = ValueWeights<Variant>;

  FMHA950_INLINE AttentionWave(const typename Variant::Arguments& arguments, const attention::WorkItem& item,
                               LdsBytes lds)
      : arguments_(arguments), item_(item), lds_(lds_address(lds)), walk_(arguments, item),
        stager_(arguments, item, walk_, lds), softmax_(arguments) {}

  FMHA950_INLINE void run() {
    const auto [first, end] =
        attention::rows_of_wave(item_, static_cast<int>(arguments_.heads_per_kv_head), wave_);
    const attention::QueryRows rows(item_, arguments_.query_heads, arguments_.heads_per_kv_head, first, end);
    // Without a tile there is not even a page to look up.
    if (below(item_.first_tile, item_.end_tile, "no_keys")) {
      Keys::load_queries(arguments_.q, rows, queries_);
      pin(queries_);
      const auto mask = mask_of(arguments_, item_, rows.query());
      whole_tiles_ = mask.whole_tiles();
      fill_pipeline(walk_.begin());
      begin_scores(walk_.begin(), Even{});
      process_all(mask);
      keys_.abandon();
    }
    if (first < end) finish(rows);
  }

 private:
  // Operations that may stay in flight where something is waited for: those that follow it (kv_stager.hpp).
  static constexpr int after_second_pages = Stager::transfers;
  static constexpr int after_k = Stager::transfers + Stager::lookup;
  static constexpr int after_v = Stager::transfers;
  // Whether V is read before the softmax: descales of every key leave no registers for it.
  static constexpr bool early_values = Variant::descales != Descales::page_of_key;

  // Of a step, counted from the walk's first: which of two buffers its tiles have.
  using Even = Constant<0>;
  using Odd = Constant<1>;
  template <int PARITY> static constexpr Constant<1 - PARITY> other(Constant<PARITY>) { return {}; }
  static constexpr int other(int parity) { return parity ^ 1; }

  static constexpr auto parity_of_v(auto parity) {
    if constexpr (protection("v_behind_k"))
      return parity;
    else
      return other(parity);
  }

  template <class Mask> FMHA950_INLINE void process_all(const Mask& mask) {
    int step = walk_.begin();
    if constexpr (Variant::two_tiles_a_turn) {
      while (true) {
        process(step, Even{}, mask);
        if (++step >= walk_.end()) break;
        process(step, Odd{}, mask);
        if (++step >= walk_.end()) break;
      }
    } else {
      for (int parity = 0; step < walk_.end(); ++step, parity ^= 1) process(step, parity, mask);
    }
  }

  FMHA950_INLINE void fill_pipeline(int step) {
    stager_.look_up();
    wait_vector_memory<0>("first_pages_arrived");
    stager_.resolve();
    if constexpr (protection("second_pages_before_tiles")) stager_.look_up();
    stager_.stage_k(Even{});
    stager_.stage_v(step, Even{});
    if constexpr (!protection("second_pages_before_tiles")) stager_.look_up();
    wait_vector_memory<after_second_pages>("second_pages_arrived");
    stager_.resolve();
    if constexpr (protection("third_pages_before_tile")) stager_.look_up();
    stager_.stage_k(Odd{});
    if constexpr (!protection("third_pages_before_tile")) stager_.look_up();
  }

  // Waits for this wave's K(step); V(step), pages(step + 2) and K(step + 1) follow it. Behind the barrier
  // K(step) of all waves is there, and all have read V(step - 1), whose place V(step + 1) takes.
  FMHA950_INLINE void begin_scores(int step, auto parity) {
    wait_vector_memory<after_k>("k_arrived");
    barrier("barrier_before_scores");
    keys_.begin(Lds::k_place(lds_, parity));
    priority<2>();
    stager_.stage_v(step + 1, other(parity));
  }
  // Waits for this wave's V(step) and pages(step + 2); K(step + 1) and V(step + 1) follow them. Behind the
  // barrier V(step) of all waves is there, and all have read K(step), whose place K(step + 2) takes.
  FMHA950_INLINE void begin_output(auto parity, auto& values) {
    wait_vector_memory<after_v>("v_arrived");
    barrier("barrier_before_output");
    if constexpr (Variant::descales == Descales::page_of_tile) { // the same of every key
      read_lds_word(k_descale_, k_descales(parity));
      read_lds_word(v_descale_, v_descales(parity));
    }
    stager_.start_resolve();
    if constexpr (early_values) values.begin();
  }
  FMHA950_INLINE void stage_keys(auto parity) {
    stager_.template finish_resolve<early_values ? Values::reads_per_part : 0>();
    if constexpr (Variant::descales == Descales::page_of_tile) {
      pin(k_descale_);
      pin(v_descale_);
      softmax_.scale_tile(bits_as<float>(k_descale_));
    }
    if constexpr (protection("pages_before_tile")) stager_.look_up();
    stager_.stage_k(parity);
    if constexpr (!protection("pages_before_tile")) stager_.look_up();
  }

  // The waits, barriers and transfers of the next product stand before the last matrix instructions of the
  // one under way, as soon as its operands have been read.
  template <class Mask> FMHA950_INLINE void process(int step, auto parity, const Mask& mask) {
    const auto v_place = Lds::v_place(lds_, parity_of_v(parity));
    // A tile before the window has no unused slots, and its step's number leaves more than a tile of keys.
    ValueProduct<Variant, v_place.offset> values(v_place, item_.key_length - step * keys_per_tile);
    Float16 scores[Variant::key_blocks];
    keys_.multiply(Lds::k_place(lds_, parity), queries_, scores, [&] { begin_output(parity, values); });
    if constexpr (Variant::descales == Descales::page_of_key) // whose place those of the step after next take
      softmax_.scale_by_key(scores, k_descales(parity));
    // Of two workgroups' waves on a SIMD the one with less left to multiply goes first, and the one in its softmax last: so one
    // multiplies while the other is in its softmax. With the same priority for both products the older wave would have what
    // both need.
    priority<0>();
    stage_keys(parity);
    if constexpr (protection("cap_before_mask")) softmax_.cap(scores);
    if (step < whole_tiles_.begin || step >= whole_tiles_.end) [[unlikely]] {
      int tile = walk_.tile(step);
      pin_scalar(tile); // clang would count what follows of it in every step
      mask.hide(scores, tile);
    }
    if constexpr (!protection("cap_before_mask")) softmax_.cap(scores);
    accumulate(step, parity, scores, values);
  }

  FMHA950_INLINE void accumulate(int step, auto parity, Float16 (&scores)[Variant::key_blocks],
                                 auto& values) {
    const int tiles_before = step - walk_.begin();
    if constexpr (Variant::descales == Descales::page_of_tile) {
      softmax_.follow(scores, tiles_before, bits_as<float>(v_descale_), output_);
    } else {
      const auto rescale = softmax_.follow(scores, tiles_before);
      if constexpr (Variant::descales == Descales::page_of_key) {
        accumulate_by_key(parity, scores, rescale.factor, values);
        return begin_scores(step + 1, other(parity));
      }
      if (rescale.needed && protection("output_rescaled")) [[unlikely]]
        scale_output(rescale.factor);
    }
    const auto all_read = [&] { begin_scores(step + 1, other(parity)); };
    typename Values::Probabilities probabilities;
    const auto soften = [&](auto block) {
      softmax_.soften(scores[block]);
      if constexpr (Variant::descales == Descales::page_of_tile && block + 1 == Variant::key_blocks)
        softmax_.end_tile();
      Values::round(scores[block], probabilities + block * Variant::operands_per_block);
    };
    soften(Constant<0>{});
    const auto before_block = [&](auto block) { // the next one's probabilities: beside the products of this
      if constexpr (block + 1 < Variant::key_blocks) soften(Constant<block + 1>{});
    };
    priority<1>();
    values.multiply(probabilities, output_, before_block, all_read);
  }

  // The unit of the weights is known when all of them are, and their residues need V a second time: nothing
  // runs beside the products.
  FMHA950_INLINE void accumulate_by_key(auto parity, Float16 (&scores)[Variant::key_blocks], float factor,
                                        auto& values) {
    for (auto& block : scores) softmax_.soften(block);
    const bool residues = weights_.weigh(scores, v_descales(parity), factor, output_);
    typename Values::Probabilities probabilities, residue;
    Values::round(scores, probabilities);
    if constexpr (Weights::has_residues)
      if (residues) {
        Weights::keep_residue(scores, probabilities);
        Values::round(scores, residue);
      }
    const auto nothing = [](auto...) {};
    values.begin();
    values.multiply(probabilities, output_, nothing, nothing);
    if (Weights::has_residues && residues) {
      settle(output_);
      if constexpr (protection("output_in_residues_scale")) scale_output(Weights::residue_scale);
      values.begin();
      values.multiply(residue, output_, nothing, nothing);
      settle(output_);
      if constexpr (protection("residue_scale_cancelled")) scale_output(1 / Weights::residue_scale);
    }
  }

  // One per key of the tile.
  FMHA950_INLINE uint32_t k_descales(auto parity) const {
    return lds_ + Lds::k_descale(wave_, either<int>(parity, other(parity), "k_descale_of_tile"));
  }
  FMHA950_INLINE uint32_t v_descales(auto parity) const {
    return lds_ + Lds::v_descale(wave_, either<int>(parity, other(parity), "v_descale_of_tile"));
  }

  FMHA950_INLINE void scale_output(float factor) {
    for (auto& block : output_) block *= factor;
  }

  FMHA950_INLINE void finish(const attention::QueryRows& rows) {
    const float sink =
        arguments_.sink_logit == nullptr ? negative_infinity : arguments_.sink_logit[rows.head()];
    const auto result = softmax_.finish(sink);
    rows.store<typename Variant::Output>(arguments_.output, output_,
                                         result.output_factor * multiplier(value_unit(), "value_unit"));
    rows.store_lse(arguments_.lse, result.lse);
  }

  FMHA950_INLINE float value_unit() const { // of the output
    if constexpr (Variant::descales == Descales::tensor)
      return arguments_.value_scale;
    else if constexpr (Variant::descales == Descales::page_of_tile)
      return softmax_.value_unit();
    else
      return weights_.unit();
  }

  const typename Variant::Arguments& arguments_;
  const attention::WorkItem& item_;
  uint32_t lds_;
  uint32_t wave_ = wave_id();
  TileWalk walk_;
  Stager stager_;
  Keys keys_;
  attention::TileRange whole_tiles_; // [begin, end): every query of the wave sees all their keys
  TileSoftmax<Variant> softmax_;
  Weights weights_;                // where descales are those of keys
  uint32_t k_descale_, v_descale_; // of the tile under way, where it has one of each
  typename Keys::Queries queries_;
  Float16 output_[Variant::column_blocks] = {};
};

} // namespace fmha950::baseline
