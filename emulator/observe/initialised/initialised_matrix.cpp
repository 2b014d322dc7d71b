// Matrix instructions, whatever EXEC is: an element of D is invalid when something of its row of A, of its
// column of B or its element of C is (layouts: isa/mfma_layout.hpp, mfma_gfx950.md section 2.2).

#include "emulator/isa/mfma_layout.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"

namespace fmha950::observe {
namespace {

using isa::Instruction;
using isa::simd_baseline::Shape;

struct Part { // of an operand: lanes in which something is invalid
  uint64_t lanes = 0, origin = 0;
  void add(const RegisterValidity& registers, int vgpr, int byte = -1) {
    const ByteLanes& bytes = registers.vgpr(vgpr);
    const uint64_t invalid = byte < 0 ? any_byte(bytes) : bytes[static_cast<size_t>(byte)];
    if (invalid) origin = registers.vgpr_origin(vgpr);
    lanes |= invalid;
  }
};
Part operand(const RegisterValidity& registers, const ValueSource& source) {
  Part part;
  if (source.kind == ValueSource::Kind::vector)
    for (int r = 0; r < source.registers; ++r) part.add(registers, source.first + r);
  return part;
}

template <class LaneOf> uint64_t permuted(uint64_t lanes, LaneOf lane_of) {
  uint64_t result = 0;
  for (int lane = 0; lane < 64; ++lane) result |= (lanes >> lane_of(lane) & 1) << lane;
  return result;
}
// Broadcasts of A's blocks (cbsz, abid) and of B's lanes (blgp), as in isa/mfma.cpp.
void broadcast(const Instruction& in, uint64_t& a, uint64_t& b) {
  const int cbsz = in.words[0] >> 8 & 7, abid = in.words[0] >> 11 & 15, blgp = in.words[1] >> 29;
  const int span = 64 >> cbsz;
  if (cbsz) a = permuted(a, [&](int lane) { return (lane % span + span * abid) % 64; });
  if (blgp == 1 || blgp == 2) b = permuted(b, [&](int lane) { return lane % 32 + 32 * (blgp - 1); });
  if (blgp == 3) b = permuted(b, [&](int lane) { return (lane + 16) % 64; });
  if (blgp >= 4) b = permuted(b, [&](int lane) { return lane % 16 + 16 * (blgp - 4); });
}

// The scale byte of operand 0 (A) or 1 (B) that op_sel_hi and op_sel choose (facts 3.3): the lanes of a row
// are those of A's row.
void add_scale(const RegisterValidity& registers, const Instruction& in, int which, Part& part) {
  const int vgpr = static_cast<int>(in.words[1] >> 9 * which & 0xFF);
  part.add(registers, vgpr,
           static_cast<int>((in.words[1] >> (27 + which) & 1) << 1 | (in.words[0] >> (11 + which) & 1)));
}

// The bytes that hold SMFMAC's indices: two bits per stored element (isa/mfma_sparse.cpp).
void add_indices(const RegisterValidity& registers, const Instruction& in, const ValueSource& source,
                 int stored_per_lane, Part& part) {
  const int bits = 2 * stored_per_lane;
  const int cbsz = in.words[0] >> 8 & 7, abid = in.words[0] >> 11 & 15;
  const int first = cbsz == 0 ? abid % (32 / bits) * bits : 0;
  for (int byte = first / 8; byte < (first + bits + 7) / 8; ++byte) part.add(registers, source.first, byte);
}

template <class S, int item_registers = 1> struct Place {
  static int item(int block, int row) {
    if constexpr (item_registers == 2 && S::blocks == 4) return 0;
    return S::output_item(block, row);
  }
  static int lane(int block, int row) { // of column 0; f64 4x4x4 as in isa/mfma_f64.cpp
    if constexpr (item_registers == 2 && S::blocks == 4) return 4 * block + 16 * row;
    return S::output_lane(block, row);
  }
};

template <class S, int item_registers = 1>
void multiply(RegisterValidity& registers, const Instruction& in, const InitialisedInfo& info, Part a,
              Part b) {
  using Where = Place<S, item_registers>;
  constexpr uint64_t row_lanes = S::rows == 64 ? all_lanes : (uint64_t{1} << S::rows) - 1;
  const auto folded = [](uint64_t lanes, int block) { // over the lanes that hold different k
    uint64_t rows = 0;
    for (int slice = 0; slice < S::k_slices; ++slice) rows |= lanes >> S::first_input_lane(block, slice);
    return rows & row_lanes;
  };
  uint64_t item_lanes[32] = {};
  for (int block = 0; block < S::blocks; ++block) {
    const uint64_t rows = folded(a.lanes, block), columns = folded(b.lanes, block);
    for (int row = 0; row < S::rows; ++row)
      item_lanes[Where::item(block, row)] |= (rows >> row & 1 ? row_lanes : columns)
                                             << Where::lane(block, row);
  }
  const ValueSource& c = info.source[2];
  const int items = info.results / item_registers;
  uint64_t origin = a.lanes ? a.origin : b.origin;
  for (int item = 0; item < items; ++item) { // D may overlap C, which is read first
    Part addend;
    for (int r = 0; c.kind == ValueSource::Kind::vector && r < item_registers; ++r)
      addend.add(registers, c.first + item * item_registers + r);
    if (addend.lanes && !a.lanes && !b.lanes) origin = addend.origin;
    item_lanes[item] |= addend.lanes;
  }
  for (int r = 0; r < info.results; ++r) {
    const uint64_t lanes = item_lanes[r / item_registers];
    registers.set_vgpr(in.dst + r, {lanes, lanes, lanes, lanes}, origin);
  }
}

} // namespace

void flow_matrix(RegisterValidity& registers, const machine::Wave&, const Instruction& in,
                 const InitialisedInfo& info) {
  const isa::MatrixFacts& matrix = in.row->matrix;
  const bool sparse = matrix.form == isa::MatrixForm::sparse, f64 = matrix.unit == isa::MatrixUnit::dgemm;
  Part a = operand(registers, info.source[0]), b = operand(registers, info.source[1]);
  if (!sparse && !f64 && !matrix.is_f8f6f4()) broadcast(in, a.lanes, b.lanes);
  if (sparse) add_indices(registers, in, info.source[3], matrix.depth / 2 * matrix.rows / 64, a);
  if (matrix.form == isa::MatrixForm::scaled) add_scale(registers, in, 0, a), add_scale(registers, in, 1, b);

  if (f64) {
    if (matrix.rows == 16) return multiply<Shape<16, 4, 1, 1>, 2>(registers, in, info, a, b);
    return multiply<Shape<4, 4, 4, 1>, 2>(registers, in, info, a, b);
  }
  if (matrix.rows == 4) return multiply<Shape<4, 4, 16>>(registers, in, info, a, b);
  if (matrix.rows == 16)
    return matrix.blocks > 1 ? multiply<Shape<16, 4, 4>>(registers, in, info, a, b)
                             : multiply<Shape<16, 16>>(registers, in, info, a, b);
  return matrix.blocks > 1 ? multiply<Shape<32, 4, 2>>(registers, in, info, a, b)
                           : multiply<Shape<32, 8>>(registers, in, info, a, b);
}

} // namespace fmha950::observe
