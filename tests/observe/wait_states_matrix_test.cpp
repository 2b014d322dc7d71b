// Distances behind matrix instructions, as in wait_states_test.cpp. The numbers are typed from mfma_gfx950.md
// sections 5.1 and 5.2, not taken from the implementation.

#include "tests/observe/wait_states_case.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

// An MFMA with its result in v[0:..] and matrix C in v[64:..] or 0.
struct Matrix {
  const char* mnemonic;
  char type;               // X: XDL and SMFMAC, S: f32, D: f64 16x16x4, d: f64 4x4x4
  int passes;              // mfma_gfx950.md section 5.1
  int result, a, b;        // registers
  const char* suffix = ""; // modifiers
  bool sparse = false;     // v_smfmac: index register, C in the result
  std::string text(const std::string& d, const std::string& c) const {
    const auto range = [](int first, int count) {
      return count == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + count - 1);
    };
    return fmt::format("{} {}, {}, {}, {} {}", mnemonic, d, range(100, a), range(110, b), sparse ? "v120" : c,
                       suffix);
  }
  std::string range(int first) const { return fmt::format("v[{}:{}]", first, first + result - 1); }
};

const Matrix matrices[] = {
    {"v_mfma_f32_4x4x4_16b_f16", 'X', 2, 4, 2, 2},
    {"v_mfma_f32_4x4x4_16b_bf16", 'X', 2, 4, 2, 2},
    {"v_mfma_i32_4x4x4_16b_i8", 'X', 2, 4, 1, 1},
    {"v_mfma_f32_16x16x16_f16", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x16_bf16", 'X', 4, 4, 2, 2},
    {"v_mfma_i32_16x16x32_i8", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x32_fp8_bf8", 'X', 4, 4, 2, 2},
    {"v_mfma_f32_16x16x32_f16", 'X', 4, 4, 4, 4},
    {"v_mfma_f32_16x16x32_bf16", 'X', 4, 4, 4, 4},
    {"v_mfma_i32_16x16x64_i8", 'X', 4, 4, 4, 4},
    {"v_mfma_f32_16x16x4_4b_f16", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_16x16x4_4b_bf16", 'X', 8, 16, 2, 2},
    {"v_mfma_i32_16x16x4_4b_i8", 'X', 8, 16, 1, 1},
    {"v_mfma_f32_32x32x8_f16", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x8_bf16", 'X', 8, 16, 2, 2},
    {"v_mfma_i32_32x32x16_i8", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x16_fp8_fp8", 'X', 8, 16, 2, 2},
    {"v_mfma_f32_32x32x16_f16", 'X', 8, 16, 4, 4},
    {"v_mfma_f32_32x32x16_bf16", 'X', 8, 16, 4, 4},
    {"v_mfma_i32_32x32x32_i8", 'X', 8, 16, 4, 4},
    {"v_mfma_f32_32x32x4_2b_f16", 'X', 16, 32, 2, 2},
    {"v_mfma_f32_32x32x4_2b_bf16", 'X', 16, 32, 2, 2},
    {"v_mfma_i32_32x32x4_2b_i8", 'X', 16, 32, 1, 1},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 8, 4, 8, 8},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 8, 4, 6, 8, "cbsz:2 blgp:1"},
    {"v_mfma_f32_16x16x128_f8f6f4", 'X', 4, 4, 6, 4, "cbsz:3 blgp:4"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 16, 16, 8, 8, "cbsz:1"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 16, 16, 8, 4, "blgp:4"},
    {"v_mfma_f32_32x32x64_f8f6f4", 'X', 8, 16, 4, 4, "cbsz:4 blgp:4"},
    {"v_smfmac_f32_16x16x32_f16", 'X', 4, 4, 2, 4, "", true},
    {"v_smfmac_f32_16x16x64_bf16", 'X', 4, 4, 4, 8, "", true},
    {"v_smfmac_i32_16x16x128_i8", 'X', 4, 4, 4, 8, "", true},
    {"v_smfmac_f32_32x32x16_bf16", 'X', 8, 16, 2, 4, "", true},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 'X', 8, 16, 4, 8, "", true},
    {"v_mfma_f32_4x4x1_16b_f32", 'S', 2, 4, 1, 1},
    {"v_mfma_f32_16x16x1_4b_f32", 'S', 8, 16, 1, 1},
    {"v_mfma_f32_16x16x4_f32", 'S', 8, 4, 1, 1},
    {"v_mfma_f32_32x32x1_2b_f32", 'S', 16, 32, 1, 1},
    {"v_mfma_f32_32x32x2_f32", 'S', 16, 16, 1, 1},
    {"v_mfma_f64_16x16x4_f64", 'D', 16, 8, 2, 2},
    {"v_mfma_f64_4x4x4_4b_f64", 'd', 4, 2, 2, 2},
};

int column(int passes) { return passes == 2 ? 0 : passes == 4 ? 1 : passes == 8 ? 2 : 3; }

struct MatrixRow {
  char first;
  const char* second;
  int states[4]; // by passes of the first: 2, 4, 8, 16
};

} // namespace

TEST_CASE("wait states: every MFMA's result, by passes and consumer", "[definition]") {
  const MatrixRow rows[] = {
      // Matrix A or B, the index of SMFMAC, scales
      {'X', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {5, 8, 12, 20}},
      {'X', "v_mfma_f64_4x4x4_4b_f64 v[40:41], v[90:91], v[0:1], 0", {5, 8, 12, 20}},
      {'X', "v_smfmac_f32_16x16x32_f16 v[40:43], v[90:91], v[92:95], v1", {5, 8, 12, 20}},
      {'X', "v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[80:87], v[90:97], 0, v98, v1", {5, 8, 12, 20}},
      {'S', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {4, 6, 10, 18}},
      {'D', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {19, 19, 19, 19}},
      {'d', "v_mfma_f32_16x16x16_f16 v[40:43], v[0:1], v[90:91], 0", {6, 6, 6, 6}},
      // Matrix C that overlaps but is not the result's registers
      {'X', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {4, 6, 10, 18}},
      {'X', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {3, 6, 10, 18}},
      {'X', "v_mfma_f64_16x16x4_f64 v[40:47], v[90:91], v[92:93], v[32:39]", {3, 6, 10, 18}},
      {'S', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {2, 4, 8, 16}},
      {'S', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      {'D', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {17, 17, 17, 17}},
      {'D', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      {'d', "v_mfma_f32_16x16x4_f32 v[40:43], v90, v91, v[34:37]", {4, 4, 4, 4}},
      {'d', "v_mfma_f32_16x16x16_f16 v[40:43], v[90:91], v[92:93], v[34:37]", {0, 0, 0, 0}},
      // VALU reads
      {'X', "v_add_f32 v50, v1, v60", {5, 8, 12, 20}},
      {'X', "v_readlane_b32 s0, v0, 0", {5, 8, 12, 20}},
      {'X', "v_accvgpr_write_b32 a0, v0", {5, 8, 12, 20}},
      {'X', "v_permlane32_swap_b32 v50, v1", {5, 8, 12, 20}},
      {'X', "v_exp_f32 v50, v1", {5, 8, 12, 20}},
      {'S', "v_pk_mul_f32 v[50:51], v[0:1], v[60:61]", {4, 6, 10, 18}},
      {'D', "v_add_f64 v[50:51], v[0:1], v[60:61]", {19, 19, 19, 19}},
      {'d', "v_add_f64 v[50:51], v[0:1], v[60:61]", {6, 6, 6, 6}},
      // VALU overwrites
      {'X', "v_mov_b32 v1, 0", {5, 8, 12, 20}},
      {'S', "v_mov_b32 v1, 0", {4, 6, 10, 18}},
      {'D', "v_mov_b32 v1, 0", {11, 11, 11, 11}},
      {'d', "v_mov_b32 v1, 0", {6, 6, 6, 6}},
      // Memory reads: data and addresses
      {'X', "global_store_dword v[60:61], v1, off", {5, 8, 12, 20}},
      {'X', "buffer_load_dword v50, v1, s[0:3], 0 offen", {5, 8, 12, 20}},
      {'X', "ds_write_b64 v50, v[0:1]", {5, 8, 12, 20}},
      {'X', "flat_load_dword v50, v[0:1]", {5, 8, 12, 20}},
      {'S', "ds_read_b32 v50, v1", {4, 6, 10, 18}},
      {'D', "scratch_store_dwordx2 off, v[0:1], s0", {18, 18, 18, 18}},
      {'d', "global_store_dwordx2 v[60:61], v[0:1], off", {9, 9, 9, 9}},
  };
  for (const Matrix& matrix : matrices)
    for (const MatrixRow& row : rows) {
      if (row.first != matrix.type) continue;
      // Rows for an overlapping C expect it in v[34:37] or v[32:39]: the result ends in between.
      const bool overlap = std::string_view(row.second).find("v[3") != std::string_view::npos;
      const int first_register = overlap ? 36 - matrix.result : 0;
      const std::string first = matrix.text(matrix.range(first_register), "0");
      check_distance(first, row.second, row.states[column(matrix.passes)]);
    }
}

TEST_CASE("wait states: accumulating in the same registers, and the WAR on matrix C") {
  for (const Matrix& matrix : matrices) {
    const std::string chain = matrix.text(matrix.range(0), matrix.range(0));
    const int states = matrix.type == 'd' ? 4 : matrix.passes == 2 ? 2 : 0;
    INFO(chain);
    if (states)
      check_distance(chain, chain, states);
    else
      CHECK(hazards_of(chain + "\n" + chain + "\n").empty());
    if (matrix.sparse) continue;
    const std::string reads_c = matrix.text(matrix.range(0), matrix.range(64));
    const int war[] = {1, 3, 7, 15};
    if (matrix.type == 'X')
      check_distance(reads_c, "v_mov_b32 v65, 0", war[column(matrix.passes)]);
    else
      CHECK(hazards_of(reads_c + "\nv_mov_b32 v65, 0\n").empty());
  }
}

TEST_CASE("wait states: two kinds of MFMA on one accumulator are a warning (LLVM #218363)") {
  const char* const kinds[] = {"v_mfma_f32_16x16x32_bf16 v[0:3], v[10:13], v[20:23], v[0:3]",
                               "v_mfma_f32_16x16x32_f16 v[0:3], v[10:13], v[20:23], v[0:3]",
                               "v_mfma_f32_16x16x4_f32 v[0:3], v10, v20, v[0:3]",
                               "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[10:17], v[20:27], v[0:3]"};
  for (const char* const first : kinds)
    for (const char* const second : kinds) {
      if (first == second) continue; // above
      check_distance(first, second, 5);
      const auto hazards = hazards_of(std::string(first) + "\n" + second + "\n");
      REQUIRE(hazards.size() == 1);
      CHECK(hazards[0].severity == observe::Severity::warning);
    }
  // What the documents ask for stays an error where it is more.
  const auto hazards = hazards_of("v_mfma_f64_16x16x4_f64 v[0:7], v[10:11], v[12:13], 0\ns_nop 4\n"
                                  "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[10:11], v[12:13], v[0:1]\n");
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].severity == observe::Severity::error);
}
