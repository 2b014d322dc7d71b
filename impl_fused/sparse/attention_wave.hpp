#pragma once
// One wave of the kernel; attention.hip says how the four waves of a workgroup play together.

#include "attention/sparse/head_softmax.hpp"
#include "impl_fused/sparse/fp8_value_product.hpp"
#include "impl_fused/sparse/key_product.hpp"
#include "impl_fused/sparse/row_stager.hpp"
#include "impl_fused/sparse/scale_expansion.hpp"
#include "impl_fused/sparse/software_key_product.hpp"
#include "impl_fused/sparse/value_product.hpp"

namespace fmha950::fused::sparse {

using namespace attention::sparse;

template <bool CONDITION, class Then, class Else> struct Choice {
  using Type = Then;
};
template <class Then, class Else> struct Choice<false, Then, Else> {
  using Type = Else;
};

template <class Format, ScalePath SCALES, ValuePath VALUES, int HEAD_BLOCKS> class AttentionWave {
 public:
  using Lds = sparse::Lds<Format, HEAD_BLOCKS>;
  using Expansion = ScaleExpansion<Format, Lds>;
  using Keys = typename Choice<SCALES == ScalePath::hardware, HardwareKeyProduct<Format, Lds>,
                               SoftwareKeyProduct<Format, Lds, Expansion::part_bytes>>::Type;
  using Values = typename Choice<VALUES == ValuePath::bf16, ValueProduct<Format, Lds, HEAD_BLOCKS>,
                                 Fp8ValueProduct<Format, Lds, HEAD_BLOCKS>>::Type;
  using Operand = typename Values::Operand;
  using Stager = RowStager<Format, Lds>;

  FMHA950_INLINE AttentionWave(const Arguments& arguments, uint32_t token, uint32_t first_head, LdsBytes lds)
      : arguments_(arguments), token_(token), first_head_(first_head), list_(arguments, token),
        stager_(arguments, list_, lds), lds_(lds_address(lds)), values_(wave_) {}

  FMHA950_INLINE void run() {
    const int tiles = (list_.length() + keys_per_tile - 1) / keys_per_tile;
    if (tiles > 0) {
      const Keys keys(arguments_.q, query_row());
      fill_pipeline();
      score<0>(0, keys, [] {});
      soften(0);
      for (int tile = 0; tile + 1 < tiles; ++tile) {
        score<begun_reads>(tile + 1, keys, [&] { begin_output(tile); });
        accumulate(tile);
        soften(tile + 1);
      }
      meet<false>(tiles - 1);
      begin_output(tiles - 1);
      accumulate(tiles - 1);
    }
    finish(tiles);
  }

 private:
  static constexpr bool reads_ahead = HEAD_BLOCKS == waves && !Keys::fp32_scales;
  static constexpr int begun_reads = 1 + HEAD_BLOCKS; // of begin_output()

  // Whether the wave has heads of its own in the first product and in the softmax.
  FMHA950_INLINE bool scores_heads() const { return HEAD_BLOCKS == waves || wave_ < HEAD_BLOCKS; }
  FMHA950_INLINE uint32_t head_of_block(uint32_t block) const {
    return first_head_ + block * heads_per_block + lane_id() % heads_per_block;
  }
  // Heads past the last one repeat it, and are not stored.
  FMHA950_INLINE uint64_t query_row() const {
    return uint64_t(token_) * arguments_.heads + minimum(head_of_block(wave_), arguments_.heads - 1);
  }

  FMHA950_INLINE bf16* output_row(uint32_t head) const {
    return static_cast<bf16*>(arguments_.output) + (uint64_t(token_) * arguments_.heads + head) * head_dim;
  }

  FMHA950_INLINE void fill_pipeline() {
    stager_.look_up(0);
    stager_.look_up(1);
    wait_vector_memory<1>("first_ids_arrived");
    stager_.read_ids(0);
    stager_.template stage<0>(0, next_);
    stager_.look_up(2);
  }

  // After this barrier, all waves have: loaded the rows of tile + 1, written P and factors of `tile`, and
  // read the rows of tile - 1. The rows of tile + 2 overwrite those of tile - 1.
  template <bool MORE = true> FMHA950_INLINE void meet(int tile) {
    wait_vector_memory<1>("rows_arrived");
    if constexpr (MORE) stager_.read_ids(tile + 2);
    wait_lds<MORE ? Stager::id_reads : 0>("p_written");
    barrier("barrier");
  }
  // `YOUNGER_READS` of LDS were started behind the barrier.
  template <int YOUNGER_READS> FMHA950_INLINE void stage_next(int tile) {
    stager_.template stage<YOUNGER_READS>(tile + 2, free_);
    stager_.look_up(tile + 4);
  }

  // S^T of `tile`. `before_last`, which starts `YOUNGER_READS` of LDS, is called when the last of the keys
  // are still to arrive. Where all waves have heads, reads stand before what they need not wait for; a branch
  // around them would make the compiler move registers in flight.
  template <int YOUNGER_READS, class BeforeLast>
  FMHA950_INLINE void score(int tile, const Keys& keys, BeforeLast before_last) {
    typename Keys::Reads reads;
    meet(tile - 1);
    if constexpr (reads_ahead) Keys::begin(reads, lds_ + next_);
    stage_next<reads_ahead ? Keys::begun_reads : 0>(tile - 1);
    if constexpr (Expansion::needed) {
      Expansion::template expand<Keys::fp32_scales>(lds_ + next_, lds_ + expanded(tile), wave_);
      // Else the second product, behind the next barrier, is the first to read them.
      if constexpr (Keys::fp32_scales) {
        wait_lds<0>("scales_written");
        barrier("barrier_of_scales");
      }
    }
    if (scores_heads()) {
      if constexpr (Keys::fp32_scales) {
        keys.multiply(lds_ + next_, scales(tile, next_), scores_);
      } else if constexpr (reads_ahead) {
        keys.template multiply<YOUNGER_READS>(reads, lds_ + next_, scores_, before_last);
      } else {
        Keys::begin(reads, lds_ + next_);
        keys.template multiply<0>(reads, lds_ + next_, scores_, [] {});
      }
      const int keys_left = list_.length() - tile * keys_per_tile;
      if (keys_left < keys_per_tile && protection("tail_mask")) hide_tail(scores_, keys_left);
    }
    if constexpr (!reads_ahead) before_last();
  }

  // P of `tile` and the factor for what was accumulated before it.
  FMHA950_INLINE void soften(int tile) {
    if (scores_heads()) {
      softmax_.follow(tile_maximum(scores_), arguments_.score_scale, tile);
      const Operand probabilities =
          attention::sparse::soften(softmax_, scores_[0], scores_[1], arguments_.score_scale);
      write_lds<0>(lds_ + p(tile) + wave_ * Lds::p_block_bytes + lane_id() * 16,
                   bits_as<Word4>(probabilities));
      write_lds_word<0>(lds_ + factors(tile) + (wave_ * heads_per_block + lane_id() % heads_per_block) * 4,
                        bits_as<uint32_t>(softmax_.factor()));
    }
    rotate();
  }

  // P of all heads, one head's factor a lane; the first of V.
  FMHA950_INLINE void begin_output(int tile) {
    read_lds_word(factor_, lds_ + factors(tile) + lane_id() % (HEAD_BLOCKS * heads_per_block) * 4);
    unrolled<HEAD_BLOCKS>([&](auto block) {
      read_lds<block * Lds::p_block_bytes>(probabilities_[block], lds_ + p(tile) + lane_id() * 16);
    });
  }

  // O^T. Goes first where the other workgroup's wave is in its scores or its softmax: so they stay apart.
  FMHA950_INLINE void accumulate(int tile) {
    priority<1>();
    values_.template begin<Expansion::part_bytes>(lds_ + (protection("values_of_tile") ? current_ : next_),
                                                  scales(tile, current_));
    wait_lds<Values::begun_reads>("p_read");
    pin(factor_);
    pin(probabilities_);
    const bool rescaled = __builtin_amdgcn_ballot_w64(bits_as<float>(factor_) != 1) != 0;
    if (rescaled && protection("output_rescaled")) [[unlikely]]
      rescale(tile);
    values_.template multiply<Expansion::part_bytes>(probabilities_, output_);
    priority<0>();
  }
  FMHA950_INLINE void rescale(int tile) {
    uint32_t all[HEAD_BLOCKS], lane = lane_id();
    pin(lane); // else what follows of it has a register in the whole loop
    unrolled<HEAD_BLOCKS>([&](auto block) {
      read_lds_word<block * heads_per_block * 4>(all[block],
                                                 lds_ + factors(tile) + lane % heads_per_block * 4);
    });
    wait_lds<0>("factors_read");
    pin(all);
    for (int block = 0; block < HEAD_BLOCKS; ++block)
      values_.rescale(block, bits_as<float>(all[block]), output_);
  }

  FMHA950_INLINE void rotate() {
    const uint32_t freed = current_;
    current_ = next_;
    next_ = free_;
    free_ = freed;
  }

  // Every head's factor goes to all waves, which is why it takes the place of a tile's.
  FMHA950_INLINE void finish(int tiles) {
    if (scores_heads()) {
      const uint32_t head = minimum(head_of_block(wave_), arguments_.heads - 1);
      const float sink =
          arguments_.sink_logit == nullptr
              ? negative_infinity
              : arguments_.sink_logit[head] * (protection("sink_scaled_once") ? 1 : arguments_.score_scale);
      const float sum = across_quarters(softmax_.own_sum(), [](float a, float b) { return a + b; });
      const HeadResult result = finish_head(softmax_.reference(), sum, sink);
      write_lds_word<0>(lds_ + factors(tiles) + (wave_ * heads_per_block + lane_id() % heads_per_block) * 4,
                        bits_as<uint32_t>(result.output_factor));
      if (arguments_.lse != nullptr && lane_id() < heads_per_block && head_of_block(wave_) < arguments_.heads)
        arguments_.lse[query_row()] = result.lse;
    }
    wait_lds<0>("result_written");
    barrier("barrier_of_results");
    unrolled<HEAD_BLOCKS>([&](auto block) {
      uint32_t factor;
      read_lds_word<block * heads_per_block * 4>(factor,
                                                 lds_ + factors(tiles) + lane_id() % heads_per_block * 4);
      wait_lds<0>("result_read");
      pin(factor);
      values_.write(lds_ + block * heads_per_block * OutputRows::row_bytes, bits_as<float>(factor), block,
                    output_);
    });
    wait_lds<0>("output_written");
    barrier("barrier_of_output");
    store();
  }

  // A share of the heads' rows, which all waves have written over the tiles and P.
  FMHA950_INLINE void store() {
    constexpr int rows = HEAD_BLOCKS * heads_per_block / waves;
    static_assert(waves * rows * OutputRows::row_bytes <= Lds::factors);
    Word4 chunks[rows];
    unrolled<rows>(
        [&](auto i) { read_lds<0>(chunks[i], lds_ + OutputRows::place(wave_ * rows + i, lane_id())); });
    wait_lds<0>("output_read");
    pin(chunks);
    for (int i = 0; i < rows; ++i) {
      const uint32_t head = first_head_ + wave_ * rows + i;
      if (below(head, arguments_.heads, "head_end"))
        reinterpret_cast<Word4*>(output_row(head))[lane_id()] = chunks[i];
    }
  }

  static FMHA950_INLINE uint32_t p(int tile) { return Lds::p + (tile & 1) * Lds::p_bytes; }
  static FMHA950_INLINE uint32_t factors(int tile) { return Lds::factors + (tile & 1) * Lds::factor_bytes; }
  // LDS address of the scales in fp32 of `tile`, which lies at `place`.
  FMHA950_INLINE uint32_t scales(int tile, uint32_t place) const {
    return lds_ + (Expansion::needed ? expanded(tile) : place + Lds::scales);
  }
  static FMHA950_INLINE uint32_t expanded(int tile) {
    return Lds::expanded + (tile & 1) * Lds::expanded_bytes;
  }

  const Arguments& arguments_;
  uint32_t token_, first_head_;
  uint32_t wave_ = wave_id();
  TokenList list_;
  Stager stager_;
  uint32_t lds_;
  // Places of three tiles: the one that is accumulated, the one that is scored, the one that is staged.
  uint32_t current_ = 2 * Lds::tile_bytes, next_ = 0, free_ = Lds::tile_bytes;
  Values values_;
  HeadSoftmax softmax_;
  Float4 scores_[parts];
  uint32_t factor_;
  Operand probabilities_[HEAD_BLOCKS];
  typename Values::Output output_ = {};
};

} // namespace fmha950::fused::sparse
