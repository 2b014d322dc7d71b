#pragma once
// A matrix instruction's registers filled from matrices and read back as a matrix, by the per-shape tables of
// mfma_gfx950.md sections 2.2 (inverse forms) and 2.3, not by the closed formulas that the device uses.
#include "numerics/mfma_arithmetic.hpp"
#include "tests/emulator/one_instruction.hpp"

#include <functional>
#include <map>
#include <random>

namespace fmha950::test {

/// An operand type: width in bits and value of a code. i8 values are floats too: exact.
struct OperandType {
  int width;
  float (*value)(uint32_t code);
};
inline const std::map<std::string, OperandType>& operand_types() {
  using namespace numerics;
  static const std::map<std::string, OperandType> types = {
      {"f32", {32, [](uint32_t c) { return float_of(c); }}},
      {"f16", {16, [](uint32_t c) { return f32_from_f16(uint16_t(c)); }}},
      {"bf16", {16, [](uint32_t c) { return f32_from_bf16(uint16_t(c)); }}},
      {"i8", {8, [](uint32_t c) { return float(int8_t(c)); }}},
      {"fp8", {8, [](uint32_t c) { return f32_from_fp8(uint8_t(c)); }}},
      {"bf8", {8, [](uint32_t c) { return f32_from_bf8(uint8_t(c)); }}},
      {"fp6", {6, [](uint32_t c) { return f32_from_fp6(uint8_t(c)); }}},
      {"bf6", {6, [](uint32_t c) { return f32_from_bf6(uint8_t(c)); }}},
      {"fp4", {4, [](uint32_t c) { return f32_from_fp4(uint8_t(c)); }}},
  };
  return types;
}

/// [block][row or column][k] codes of an operand.
using Codes = std::vector<std::vector<std::vector<uint32_t>>>;
/// Which k item t of a lane holds, given the lane's slice among those of different k.
using KOf = std::function<int(int slice, int item)>;

struct Shape {
  int m, k, blocks;
  /// Lane l holds row l % m of this block ("block" column of 2.3), and k from slice l / (m * blocks).
  int block_of_lane(int lane) const { return blocks == 1 ? 0 : lane / m; }
  int items(int k_total) const { return k_total * m * blocks / 64; }
};

struct Random {
  std::mt19937 engine{950};
  uint32_t operator()() { return engine(); }
};

inline Codes random_codes(const Shape& shape, Random& random, const std::function<uint32_t(Random&)>& code) {
  Codes codes(shape.blocks, {size_t(shape.m), std::vector<uint32_t>(shape.k)});
  for (auto& block : codes)
    for (auto& row : block)
      for (uint32_t& c : row) c = code(random);
  return codes;
}

inline void write_item(OneWave& wave, int vgpr, int lane, int item, int width, uint32_t code) {
  const int bit = item * width, word = bit / 32, shift = bit % 32;
  const uint64_t mask = (width == 32 ? 0xffffffffull : (1ull << width) - 1) << shift;
  uint64_t pair = wave.lane(vgpr + word, lane);
  if (shift + width > 32) pair |= uint64_t(wave.lane(vgpr + word + 1, lane)) << 32;
  pair = (pair & ~mask) | uint64_t(code) << shift;
  wave.lane(vgpr + word, lane) = uint32_t(pair);
  if (shift + width > 32) wave.lane(vgpr + word + 1, lane) = uint32_t(pair >> 32);
}

inline void write_operand(OneWave& wave, int vgpr, const Shape& shape, int width, const Codes& codes,
                          const KOf& k_of) {
  for (int lane = 0; lane < 64; ++lane)
    for (int item = 0; item < shape.items(shape.k); ++item) {
      const int slice = shape.blocks == 1 ? lane / shape.m : 0;
      write_item(wave, vgpr, lane, item, width,
                 codes[shape.block_of_lane(lane)][lane % shape.m][k_of(slice, item)]);
    }
}

/// Section 2.2's inverse table: where lane l, register r of C or D stands in the matrix.
struct Element {
  int block, row, column;
};
inline Element output_element(const Shape& shape, int l, int r) {
  if (shape.m == 4) return {l / 4, r, l % 4};
  if (shape.m == 16) return {shape.blocks == 4 ? r / 4 : 0, 4 * (l / 16) + r % 4, l % 16};
  return {r / 16, 8 * (r / 4 % 4) + 4 * (l / 32) + r % 4, l % 32};
}
inline int output_registers(const Shape& shape) { return shape.blocks * shape.m * shape.m / 64; }

} // namespace fmha950::test
