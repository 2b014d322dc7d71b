// The scale operands of the scaled matrix instructions: every byte of the register that op_sel can name,
// every E8M0 value, every lane, of A and of B and of both together. Layouts are those of mfma_gfx950.md,
// sections 2.2, 3.2 and 3.3.
#include "harness/instruction/formats.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/instruction/kernel_arguments.hpp"
#include "interface/hip.hpp"

#include <random>

namespace fmha950::instruction {

namespace {

constexpr int values = 256;

struct Shape {
  int edge, k; // of the tile, and its steps
  std::string name() const { return fmt::format("{0}x{0}x{1}", edge, k); }
  int slices() const { return lanes / edge; } // of lanes that hold the same k
  int blocks() const { return k / 32; }
  int registers() const { return edge * edge / lanes; }
  int k_of(int lane, int byte) const { return 16 * (lane / edge) + byte % 16 + 16 * slices() * (byte / 16); }
  int row_of(int lane, int item) const {
    const int slice = lane / edge;
    return edge == 16 ? 4 * slice + item : 8 * (item / 4) + 4 * slice + item % 4;
  }
};

enum class ScaledOperand { a, b, both };

// The elements of one operand: rows of A or columns of B.
struct Elements {
  std::vector<std::vector<uint8_t>> codes; // [edge][k]

  // As the instruction takes them; all but those of one block of 32 steps are zero.
  std::vector<uint32_t> registers(const Shape& shape, int block) const {
    std::vector<uint32_t> words(lanes * 8);
    for (int lane = 0; lane < lanes; ++lane)
      for (int byte = 0; byte < 32; ++byte)
        if (const int k = shape.k_of(lane, byte); k / 32 == block)
          words[lane * 8 + byte / 4] |= uint32_t(codes[lane % shape.edge][k]) << 8 * (byte % 4);
    return words;
  }
};

// 1/8 and 3/16, with the signs of row and step: products do not cancel, and a sum of 32 is a multiple of 2^-8
// between 1/2 and 9/8. So every result is exact in fp32, from 2^-127 (subnormal) to 2^127.
Elements random_elements(const Shape& shape, std::mt19937& random, const std::vector<bool>& signs) {
  Elements elements;
  for (int row = 0; row < shape.edge; ++row) {
    const bool row_sign = random() & 1;
    auto& codes = elements.codes.emplace_back();
    for (int k = 0; k < shape.k; ++k)
      codes.push_back((row_sign != signs[k]) << 7 | (random() & 1 ? 0x20 : 0x24));
  }
  return elements;
}

// The scale that problem `value` of a sweep has for a row of operand A or a column of B.
uint8_t scale_of(ScaledOperand operand, ScaledOperand swept, int value, int row) {
  if (swept == ScaledOperand::both) // opposite exponents, however far from 0
    return static_cast<uint8_t>(operand == ScaledOperand::a ? value : std::max(254 - value, 0));
  return static_cast<uint8_t>(operand == swept ? value + 37 * row : 127);
}

// The scale in the byte that counts, three others beside it, one of which is NaN for some values.
uint32_t word_of(uint8_t scale, int byte) {
  uint32_t word = 0;
  for (int other = 0; other < 4; ++other) word |= uint32_t(uint8_t(scale + 64 * (other - byte))) << 8 * other;
  return word;
}

// One round of a sweep: which 32 steps of k have elements, and which bytes count.
struct Round {
  int block, a_byte, b_byte;
};

class Sweep {
 public:
  Sweep(const Shape& shape, ScaledOperand swept)
      : shape_(shape), swept_(swept),
        kernel_(hip::load_kernel("probe_scale_operand", "scale_operand_" + shape.name())),
        results_(static_cast<size_t>(values) * shape.edge * shape.edge), d_(results_.size() * sizeof(float)) {
    std::mt19937 random(1);
    std::vector<bool> signs;
    for (int k = 0; k < shape.k; ++k) signs.push_back(random() & 1);
    a_ = random_elements(shape, random, signs);
    b_ = random_elements(shape, random, signs);
  }

  Measurement run() {
    for (int block = 0; block < shape_.blocks(); ++block)
      for (int a_byte = 0; a_byte < 4; ++a_byte)
        for (int b_byte = 0; b_byte < 4; ++b_byte) {
          launch({block, a_byte, b_byte});
          compare({block, a_byte, b_byte});
        }
    return error_.largest();
  }

 private:
  // [values][lanes], lane = row + edge * block. Blocks without elements have the least scale: they contribute
  // nothing, whatever the alignment of sums makes of the exponent of a zero.
  hip::Buffer scale_words(ScaledOperand operand, int block, int byte) const {
    std::vector<uint32_t> words;
    for (int value = 0; value < values; ++value)
      for (int lane = 0; lane < lanes; ++lane)
        words.push_back(word_of(
            lane / shape_.edge == block ? scale_of(operand, swept_, value, lane % shape_.edge) : 0, byte));
    return hip::uploaded(words);
  }

  void launch(const Round& round) {
    const hip::Buffer a = hip::uploaded(a_.registers(shape_, round.block)),
                      b = hip::uploaded(b_.registers(shape_, round.block)),
                      a_scales = scale_words(ScaledOperand::a, round.block, round.a_byte),
                      b_scales = scale_words(ScaledOperand::b, round.block, round.b_byte);
    d_.fill(0x55); // no result of any problem
    const ScaleOperandArguments arguments{a.as<uint32_t>(),
                                          b.as<uint32_t>(),
                                          a_scales.as<uint32_t>(),
                                          b_scales.as<uint32_t>(),
                                          d_.as<float>(),
                                          static_cast<uint32_t>(round.a_byte),
                                          static_cast<uint32_t>(round.b_byte)};
    hip::launch(kernel_, {values, 1, 1}, {lanes, 1, 1}, &arguments, sizeof arguments, nullptr);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    d_.download(results_.data(), d_.bytes());
  }

  void compare(const Round& round) {
    const std::vector<double> dots = dots_of(round.block);
    size_t next = 0;
    for (int value = 0; value < values; ++value)
      for (int item = 0; item < shape_.registers(); ++item)
        for (int lane = 0; lane < lanes; ++lane) {
          const int row = shape_.row_of(lane, item), column = lane % shape_.edge;
          const uint8_t a_scale = scale_of(ScaledOperand::a, swept_, value, row);
          const uint8_t b_scale = scale_of(ScaledOperand::b, swept_, value, column);
          const double want =
              dots[row * shape_.edge + column] * value_of_e8m0(a_scale) * value_of_e8m0(b_scale);
          error_.compare(results_[next++], want, [&] {
            return fmt::format("bytes {} of A and {} of B, k from {}, scales {} and {}, row {} column {}",
                               round.a_byte, round.b_byte, 32 * round.block, a_scale, b_scale, row, column);
          });
        }
  }

  // The products of the block's 32 steps, without scales.
  std::vector<double> dots_of(int block) const {
    std::vector<double> dots;
    for (int row = 0; row < shape_.edge; ++row)
      for (int column = 0; column < shape_.edge; ++column) {
        double& dot = dots.emplace_back(0);
        for (int k = 32 * block; k < 32 * block + 32; ++k)
          dot += value_of_fp8(a_.codes[row][k]) * value_of_fp8(b_.codes[column][k]);
      }
    return dots;
  }

  Shape shape_;
  ScaledOperand swept_;
  hip::Kernel kernel_;
  Elements a_, b_;
  std::vector<float> results_; // [values][registers][lanes]
  hip::Buffer d_;
  LargestError error_;
};

} // namespace

std::vector<InstructionProbe> scale_operands() {
  std::vector<InstructionProbe> probes;
  for (const Shape shape : {Shape{16, 128}, Shape{32, 64}})
    for (const auto& [swept, name] : {std::pair(ScaledOperand::a, "a"), std::pair(ScaledOperand::b, "b"),
                                      std::pair(ScaledOperand::both, "both")})
      probes.push_back({fmt::format("scale_operand/{}/{}", shape.name(), name),
                        "every E8M0 value in every lane and every byte that op_sel names, others beside it",
                        0, [shape, swept = swept] { return Sweep(shape, swept).run(); }});
  return probes;
}

} // namespace fmha950::instruction
