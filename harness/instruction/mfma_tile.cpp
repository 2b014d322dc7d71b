// One tile of Q K^T against float64: 448 fp8 columns (qk_nope) and 64 bf16 columns more (qk_full), by both
// instructions, with and without scales.
#include "harness/instruction/formats.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/instruction/kernel_arguments.hpp"
#include "interface/hip.hpp"

#include <random>

namespace fmha950::instruction {

namespace {

constexpr double largest_relative_error = 5e-5; // that the probes of the seed reached

struct TileKind {
  bool rope;
  std::string path;    // software | hardware
  int columns_a_scale; // 0: no scales

  std::string scales() const {
    return columns_a_scale == 0 ? "unscaled" : fmt::format("per_{}", columns_a_scale);
  }
  std::string kernel() const { // the hardware has one scale per 32 columns; two may be equal
    return fmt::format("mfma_tile_{}_{}", path,
                       path == "hardware" && columns_a_scale != 0 ? "scaled" : scales());
  }
};

struct Operand {
  std::vector<uint8_t> nope, scales;
  std::vector<uint16_t> rope;

  double nope_value(int row, int column) const { return value_of_fp8(nope[row * nope_row_bytes + column]); }
  double scale(int row, int column) const {
    return value_of_e8m0(scales[row * scale_row_bytes + column / scale_columns]);
  }
  double rope_value(int row, int column) const { return value_of_bf16(rope[row * rope_columns + column]); }
};

// Magnitudes are spread so far that sums round, and no column is small in every row. A sign is that of the
// row times that of the column, which both operands share: nothing cancels, so an error is relative to the
// score itself, while columns that are paired wrongly do cancel.
Operand random_operand(std::mt19937& random, const std::vector<bool>& column_signs, int columns_a_scale) {
  Operand operand{std::vector<uint8_t>(tile_rows * nope_row_bytes, 0x7F),  // NaN
                  std::vector<uint8_t>(tile_rows * scale_row_bytes, 0xFF), // NaN
                  std::vector<uint16_t>(tile_rows * rope_columns)};
  for (int row = 0; row < tile_rows; ++row) {
    const bool row_sign = random() & 1;
    const auto sign = [&](int column) { return row_sign != column_signs[column] ? 1u : 0u; };
    for (int column = 0; column < nope_columns; ++column) // 2^-5 to 7.5
      operand.nope[row * nope_row_bytes + column] = sign(column) << 7 | (0x10 + random() % 64);
    for (int column = 0; column < rope_columns; ++column) // 2^-5 to 8
      operand.rope[row * rope_columns + column] =
          sign(nope_columns + column) << 15 | (0x3D00 + random() % 1024);
    uint8_t* scales = &operand.scales[row * scale_row_bytes];
    for (int block = 0; block < nope_columns / scale_columns; ++block) // 1/4 to 4
      scales[block] = columns_a_scale == 64 && block % 2 == 1 ? scales[block - 1] : 125 + random() % 5;
  }
  return operand;
}

double exact_score(const TileKind& kind, const Operand& q, const Operand& k, int row, int column) {
  double score = 0;
  for (int c = 0; c < nope_columns; ++c) {
    const double scale = kind.columns_a_scale == 0 ? 1 : q.scale(row, c) * k.scale(column, c);
    score += q.nope_value(row, c) * k.nope_value(column, c) * scale;
  }
  for (int c = 0; kind.rope && c < rope_columns; ++c) score += q.rope_value(row, c) * k.rope_value(column, c);
  return score;
}

std::vector<float> scores_of(const TileKind& kind, const Operand& q, const Operand& k) {
  const hip::Kernel kernel = hip::load_kernel("probe_mfma_tile", kind.kernel());
  const hip::Buffer buffers[] = {hip::uploaded(q.nope), hip::uploaded(q.scales), hip::uploaded(q.rope),
                                 hip::uploaded(k.nope), hip::uploaded(k.scales), hip::uploaded(k.rope)};
  std::vector<float> scores(tile_rows * tile_rows, std::numeric_limits<float>::quiet_NaN());
  const hip::Buffer device_scores = hip::uploaded(scores);
  const auto operand = [&](int first) {
    return TileOperand{buffers[first].as<uint8_t>(), buffers[first + 1].as<uint8_t>(),
                       buffers[first + 2].as<uint16_t>()};
  };
  const MfmaTileArguments arguments{operand(0), operand(3), device_scores.as<float>(), kind.rope};
  hip::launch(kernel, {1, 1, 1}, {64, 1, 1}, &arguments, sizeof arguments, nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  device_scores.download(scores.data(), device_scores.bytes());
  return scores;
}

Measurement measure(const TileKind& kind) {
  std::mt19937 random(1);
  std::vector<bool> column_signs(nope_columns + rope_columns);
  for (size_t i = 0; i < column_signs.size(); ++i) column_signs[i] = random() & 1;
  const Operand q = random_operand(random, column_signs, kind.columns_a_scale);
  const Operand k = random_operand(random, column_signs, kind.columns_a_scale);
  const std::vector<float> scores = scores_of(kind, q, k);
  LargestError error;
  for (int row = 0; row < tile_rows; ++row)
    for (int column = 0; column < tile_rows; ++column)
      error.compare(scores[row * tile_rows + column], exact_score(kind, q, k, row, column),
                    [&] { return fmt::format("row {} of Q, row {} of K", row, column); });
  return error.largest();
}

} // namespace

std::vector<InstructionProbe> mfma_tiles() {
  std::vector<InstructionProbe> probes;
  for (const bool rope : {false, true})
    for (const char* path : {"software", "hardware"})
      for (const int columns_a_scale : {0, 64, 32}) {
        const TileKind kind{rope, path, columns_a_scale};
        probes.push_back(
            {fmt::format("mfma_tile/{}/{}/{}", rope ? "qk_full" : "qk_nope", path, kind.scales()),
             fmt::format("a 16 x 16 tile of Q K^T over 448 fp8{} columns, scales in {}",
                         rope ? " and 64 bf16" : "", path),
             largest_relative_error, [kind] { return measure(kind); }});
      }
  return probes;
}

} // namespace fmha950::instruction
