#pragma once
// O^T += V^T P^T of one tile with NOPE columns in FP8 as they are stored. V's scale depends on the key and
// the scale block of columns, so that each block takes a P of its own: P * scale of the key, in units of the
// largest such product of the head and block so far, in FP8. What was accumulated is in that unit too, and
// changes with it. (A unit of scales alone would let a row without weight push its neighbours below FP8's
// range.) ROPE columns are bf16.
//
// A wave has the 64 NOPE columns 64 wave and following, half of 64 others and a quarter of the last 64: few
// scale blocks, as many for every wave. V is read transposed, 8 keys of a column a lane: the operand as it stands.

#include "gfx950/permlane.hpp"
#include "impl_fused/sparse/output_rows.hpp"

namespace fmha950::fused::sparse {

template <class Format, class Lds, int HEAD_BLOCKS> class Fp8ValueProduct {
 public:
  using Operand = Mfma16x16x32<bf16>::Operand;
  static constexpr int nope_blocks = 7, column_blocks = nope_blocks + 1;
  using Output = Float4[column_blocks][HEAD_BLOCKS];
  static constexpr int begun_reads = nope_blocks + int(parts); // of V, the youngest that begin() has started

  FMHA950_INLINE explicit Fp8ValueProduct(uint32_t wave) : wave_(wave) {
    const uint32_t lane = lane_id(), quarter = lane / 16, row = lane % 16 / 2;
    const uint32_t in_chunk = lane % 2 * 8;
    part_ = row / 4 * Lds::part_bytes;
    rows_ = Part::place(4 * quarter + row % 4, 0) + in_chunk;
    rope_rows_ = Part::place(4 * quarter + lane % 16 / 4, 2 * wave + lane % 4 / 2) + in_chunk;
    for (auto& of_heads : units_)
      for (float& unit : of_heads) unit = least_unit;
  }

  // Starts to read. `tile` and `scales` (of both parts, `SCALE_PART_BYTES` apart) are LDS addresses.
  template <int SCALE_PART_BYTES> FMHA950_INLINE void begin(uint32_t tile, uint32_t scales) {
    unrolled<scale_blocks>([&](auto scale_block) {
      const uint32_t number =
          first_column(protection("value_scale_of_group") ? scale_block : 0) / Format::scale_block_columns;
      const uint32_t address = scales + PartScales::of_block(number) + PartScales::of_row(lane_id() / 16 * 4);
      unrolled<int(parts)>(
          [&](auto part) { read_lds<part * SCALE_PART_BYTES>(scales_[scale_block][part], address); });
    });
    uint32_t rows = rows_;
    pin(rows); // else every block's address has a register in the whole loop
    unrolled<nope_blocks>([&](auto block) {
      const uint32_t chunk = column_of(block) / 16;
      const uint32_t strip = tile + chunk / Part::strip_chunks * Part::strip_bytes;
      read_lds_transposed_bytes<0>(bytes_[block],
                                   strip + part_ + (rows ^ Part::flip(chunk % Part::strip_chunks)));
    });
    unrolled<int(parts)>([&](auto part) {
      read_lds_transposed<part * Lds::part_bytes + Lds::rope>(rope_[part], tile + rope_rows_);
    });
  }

  // Takes what was accumulated of head block `head` to the next probabilities' reference.
  FMHA950_INLINE void rescale(int head, float factor, Output& output) {
    for (auto& of_heads : units_) of_heads[head] *= factor;
    output[nope_blocks][head] *= factor;
  }

  // `probabilities[h]` of head block h: item t is key 16 (t / 4) + 4 (l / 16) + t % 4. They and the scales
  // are there.
  template <int> FMHA950_INLINE void multiply(const Operand (&probabilities)[HEAD_BLOCKS], Output& output) {
    wait_lds<0>("v_read");
    pin(bytes_);
    pin(rope_);
    const auto rope = bits_as<Operand>(__builtin_shufflevector(rope_[0], rope_[1], 0, 1, 2, 3));
    for (auto& of_scale_block : scales_) pin(of_scale_block);
    unrolled<HEAD_BLOCKS>([&](auto head) {
      raise_units<head>(probabilities[head], output);
      Float4& sum = output[nope_blocks][head];
      sum = Mfma16x16x32<bf16>::multiply_add(rope, probabilities[head], sum);
      unrolled<scale_blocks>([&](auto scale_block) {
        const float raise = __builtin_amdgcn_rcpf(units_[scale_block][head]) * (1 << fp8_shift);
        const Float8 p = weighted(probabilities[head], scales_[scale_block]) * raise;
        const Word2 rounded = {round_to_fp8(p[0], p[1], p[2], p[3]), round_to_fp8(p[4], p[5], p[6], p[7])};
        unrolled<nope_blocks>([&](auto block) {
          if constexpr (scale_block_of(block) == scale_block)
            output[block][head] =
                Mfma16x16x32<fp8>::multiply_add(bytes_[block], rounded, output[block][head]);
        });
      });
    });
  }

  // The wave's columns of head block `head`, whose rows lie at `rows` in LDS.
  FMHA950_INLINE void write(uint32_t rows, float factor, int head, const Output& output) const {
    unrolled<nope_blocks>([&](auto block) {
      const float unit = units_[scale_block_of(block)][head] * (1.0f / (1 << fp8_shift));
      write_quad(rows, column_of(block), output[block][head] * (factor * unit));
    });
    write_quad(rows, nope_columns + wave_ * 16, output[nope_blocks][head] * factor);
  }

 private:
  using Float8 = Vector<float, 8>;
  static constexpr int scale_blocks = Format::scale_block_columns == 64 ? 3 : 4;
  static constexpr int blocks_of_scale = Format::scale_block_columns / 16;
  static constexpr float least_unit = 0x1p-60f; // of a weight of 1 and the least scale that plan() takes

  // Blocks 0 to 3, 4 and 5, 6: their scale blocks, of up to four blocks.
  static constexpr int scale_block_of(int block) {
    return blocks_of_scale == 4 ? (block < 4 ? 0 : block < 6 ? 1 : 2) : block / 2;
  }
  FMHA950_INLINE uint32_t column_of(int block) const {
    return block < 4   ? 64 * wave_ + 16 * block
           : block < 6 ? 64 * (4 + wave_ / 2) + 32 * (wave_ % 2) + 16 * (block - 4)
                       : 384 + 16 * wave_;
  }
  FMHA950_INLINE uint32_t first_column(int scale_block) const {
    return column_of(blocks_of_scale == 4 ? (scale_block == 0   ? 0
                                             : scale_block == 1 ? 4
                                                                : 6)
                                          : 2 * scale_block);
  }

  static FMHA950_INLINE Float8 weighted(Operand probabilities, const Float4 (&scales)[parts]) {
    return __builtin_convertvector(probabilities, Float8) *
           __builtin_shufflevector(scales[0], scales[1], 0, 1, 2, 3, 4, 5, 6, 7);
  }

  // What was accumulated of the head block: to units that hold the probabilities.
  template <int HEAD> FMHA950_INLINE void raise_units(Operand probabilities, Output& output) {
    float changes[scale_blocks];
    uint64_t needed = 0;
    unrolled<scale_blocks>([&](auto scale_block) {
      const Float8 weights = weighted(probabilities, scales_[scale_block]);
      float largest = least_unit;
      for (int t = 0; t < 8; ++t) largest = __builtin_fmaxf(largest, weights[t]);
      largest = across_quarters(largest, [](float a, float b) { return __builtin_fmaxf(a, b); });
      const float before = units_[scale_block][HEAD];
      const bool grows = largest > before;
      units_[scale_block][HEAD] = grows ? largest : before;
      changes[scale_block] = grows ? before * __builtin_amdgcn_rcpf(largest) : 1;
      needed |= __builtin_amdgcn_ballot_w64(grows);
    });
    if (needed == 0 || !protection("units_rescaled")) return;
    unrolled<nope_blocks>([&](auto block) { output[block][HEAD] *= changes[scale_block_of(block)]; });
  }

  uint32_t wave_;
  uint32_t part_, rows_, rope_rows_; // lane's part, and its places in chunk 0 and in ROPE's
  Float4 scales_[scale_blocks][parts];
  float units_[scale_blocks][HEAD_BLOCKS];
  Word2 bytes_[nope_blocks], rope_[parts];
};

} // namespace fmha950::fused::sparse
