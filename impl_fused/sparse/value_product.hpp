#pragma once
// O^T += V^T P^T of one tile in bf16, all heads of the workgroup: V, the rows of K again, is dequantised on
// its way from LDS to the matrix instruction. A wave has 112 NOPE columns, three pairs and a half of blocks
// of 16, and one block of ROPE columns.
//
// A scale belongs to a key and a scale block of columns, but an operand's register holds two keys of one column,
// and the conversion takes one scale for the two values of a register. So V is read transposed as if two
// neighbouring columns were one element: a lane gets both columns of its keys, converts them with the key's
// scale, and a permutation of bytes makes of two keys the registers of two blocks, of the even columns and of
// the odd ones: 8 instructions for 8 values. (Folding the scales into P would take one P for each block of
// columns; converting keys one by one 12 instructions.)
//
// Two waves share a half pair: one takes the even columns, the other one the odd.

#include "impl_fused/sparse/output_rows.hpp"

namespace fmha950::fused::sparse {

constexpr int full_pairs = 3; // of a wave
constexpr uint32_t pair_columns = 32, pair_chunks = 2;

// Columns of a wave: pairs wave + 4 m, half of pair 12 + wave / 2, ROPE columns 16 wave to 16 wave + 15.
constexpr uint32_t half_pair(uint32_t wave) { return 12 + wave / 2; }

template <class Format, class Lds, int HEAD_BLOCKS> class ValueProduct {
 public:
  using Operand = Mfma16x16x32<bf16>::Operand;
  static constexpr int column_blocks = 2 * full_pairs + 2;
  using Output = Float4[column_blocks][HEAD_BLOCKS];
  static constexpr int begun_reads = 2 * parts; // of V, the youngest that begin() has started

  FMHA950_INLINE explicit ValueProduct(uint32_t wave) : wave_(wave) {
    const uint32_t lane = lane_id(), quarter = lane / 16;
    const auto place = [&](uint32_t pair) {
      return Part::place(4 * quarter + lane % 16 / 4, pair_chunks * pair + lane % 4 / 2) + lane % 2 * 8;
    };
    rows_ = place(wave);
    half_rows_ = place(half_pair(wave));
    scales_ = PartScales::of_row(4 * quarter);
    columns_ = wave % 2 == 0 ? even : odd;
  }

  // Starts to read. `tile` and `scales` (of both parts, `scale_part_bytes` apart) are LDS addresses.
  template <int SCALE_PART_BYTES> FMHA950_INLINE void begin(uint32_t tile, uint32_t scales) {
    tile_ = tile;
    tile_scales_ = scales;
    read<SCALE_PART_BYTES>(Constant<0>{});
  }

  // Takes what was accumulated of head block `head` to the next probabilities' reference.
  static FMHA950_INLINE void rescale(int head, float factor, Output& output) {
    for (auto& columns : output) columns[head] *= factor;
  }

  // `probabilities[h]` of head block h: item t is key 16 (t / 4) + 4 (l / 16) + t % 4.
  template <int SCALE_PART_BYTES>
  FMHA950_INLINE void multiply(const Operand (&probabilities)[HEAD_BLOCKS], Output& output) {
    unrolled<stages>([&](auto stage) {
      constexpr bool more = stage + 1 < stages;
      if constexpr (more) read<SCALE_PART_BYTES>(Constant<stage + 1>{});
      wait_lds<more ? reads(stage + 1) : 0>("v_read");
      Values& values = values_[stage % 2];
      pin(values.bytes);
      if constexpr (stage < full_pairs) {
        pin(values.scales);
        accumulate(columns_of(values, even), probabilities, output[2 * stage]);
        accumulate(columns_of(values, odd), probabilities, output[2 * stage + 1]);
      } else if constexpr (stage == full_pairs) {
        pin(values.scales);
        accumulate(columns_of(values, columns_), probabilities, output[2 * full_pairs]);
      } else {
        const Word4 words = __builtin_shufflevector(values.bytes[0], values.bytes[1], 0, 1, 2, 3);
        accumulate(bits_as<Operand>(words), probabilities, output[2 * full_pairs + 1]);
      }
    });
  }

  // The wave's columns of head block `head`, whose rows lie at `rows` in LDS.
  FMHA950_INLINE void write(uint32_t rows, float factor, int head, const Output& output) const {
    const uint32_t quarter = lane_id() / 16;
    unrolled<full_pairs>([&](auto m) {
      const Float4 of_even = output[2 * m][head] * factor, of_odd = output[2 * m + 1][head] * factor;
      Word4 words;
      for (int r = 0; r < 4; ++r)
        words[r] = bits_as<uint32_t>(round_pair<bf16>(Float2{of_even[r], of_odd[r]}));
      write_lds<0>(output_place(rows, (wave_ + m * waves) * pair_columns + 8 * quarter), words);
    });
    const Float4 half = output[2 * full_pairs][head] * factor;
    for (int r = 0; r < 4; ++r)
      write_output(output_place(rows, half_pair(wave_) * pair_columns + 8 * quarter) + 4 * r + wave_ % 2 * 2,
                   static_cast<bf16>(half[r]));
    write_quad(rows, nope_columns + wave_ * 16, output[2 * full_pairs + 1][head] * factor);
  }

 private:
  static constexpr int stages = full_pairs + 2;                  // pairs, the half one, ROPE
  static constexpr uint32_t even = 0x05040100, odd = 0x07060302; // low and high halves of two registers

  struct Values { // of a stage
    Word2 bytes[parts];
    Float4 scales[parts];
  };

  static constexpr int reads(int stage) { return stage <= full_pairs ? 2 * parts : parts; }
  static constexpr uint32_t scale_block_of(uint32_t pair) {
    return pair * pair_columns / Format::scale_block_columns;
  }

  template <int SCALE_PART_BYTES, int STAGE> FMHA950_INLINE void read(Constant<STAGE>) {
    unrolled<int(parts)>([&](auto part) {
      constexpr int begin = part * Lds::part_bytes;
      Values& values = values_[STAGE % 2];
      if constexpr (STAGE < full_pairs) {
        constexpr int strips = STAGE * waves * pair_chunks / Part::strip_chunks;
        constexpr int stage_scales = PartScales::of_block(scale_block_of(STAGE * waves));
        read_lds_transposed<begin + strips * Part::strip_bytes>(values.bytes[part], tile_ + rows_);
        read_lds<part * SCALE_PART_BYTES + summand(stage_scales, "value_scale_of_group")>(
            values.scales[part], tile_scales_ + PartScales::of_block(scale_block_of(wave_)) + scales_);
      } else if constexpr (STAGE == full_pairs) {
        read_lds_transposed<begin>(values.bytes[part], tile_ + half_rows_);
        read_lds<part * SCALE_PART_BYTES>(
            values.scales[part],
            tile_scales_ + PartScales::of_block(scale_block_of(half_pair(wave_))) + scales_);
      } else {
        read_lds_transposed<begin + Lds::rope>(values.bytes[part], tile_ + rows_);
      }
    });
  }

  static FMHA950_INLINE Operand columns_of(const Values& values, uint32_t columns) {
    Word4 words;
    for (uint32_t part = 0; part < parts; ++part)
      for (int two = 0; two < 2; ++two) {
        const uint32_t bytes = values.bytes[part][two];
        const Float4 scales = values.scales[part];
        const Vector<bf16, 2> first =
            __builtin_amdgcn_cvt_scalef32_pk_bf16_fp8(bytes, scales[2 * two], false);
        const Vector<bf16, 2> second =
            __builtin_amdgcn_cvt_scalef32_pk_bf16_fp8(bytes, scales[2 * two + 1], true);
        words[2 * part + two] =
            __builtin_amdgcn_perm(bits_as<uint32_t>(second), bits_as<uint32_t>(first), columns);
      }
    return bits_as<Operand>(words);
  }

  static FMHA950_INLINE void accumulate(Operand values, const Operand (&probabilities)[HEAD_BLOCKS],
                                        Float4 (&output)[HEAD_BLOCKS]) {
    for (int block = 0; block < HEAD_BLOCKS; ++block)
      output[block] = Mfma16x16x32<bf16>::multiply_add(values, probabilities[block], output[block]);
  }

  uint32_t wave_, columns_;
  uint32_t rows_, half_rows_, scales_; // lane's places
  uint32_t tile_ = 0, tile_scales_ = 0;
  Values values_[2];
};

} // namespace fmha950::fused::sparse
