// What clang made of sparse_prefill's kernels: the promises of their sources hold in the machine code.
#include "impl_fused/sparse/kernel_arguments.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

namespace {

// What the loop over tiles of 32 rows has to have, by kernel. Of the two parts' rows a wave stages one way or
// the other, so that the code of both counts.
struct Expected {
  const char *code_object, *kernel;
  int scaled_products, fp8_products, bf16_products;
  int staged_strips, staged_words; // by DMA of 16 and of 4 bytes a lane
  int conversions;                 // of V to bf16, two values each
  int barriers;
};
constexpr Expected expected[] = {
    {"fused_sparse", "sparse_split_16", 8, 0, 4 + 8, 9, 2, 32, 1},
    {"fused_sparse", "sparse_split_32", 8, 0, 4 + 16, 9, 2, 32, 1},
    {"fused_sparse", "sparse_split_64", 8, 0, 4 + 32, 9, 2, 32, 1},
    {"fused_sparse", "sparse_packed_16", 8, 0, 4 + 8, 10, 1, 32, 1},
    {"fused_sparse", "sparse_packed_32", 8, 0, 4 + 16, 10, 1, 32, 1},
    {"fused_sparse", "sparse_packed_64", 8, 0, 4 + 32, 10, 1, 32, 1},
    {"fused_sparse_software", "sparse_split_16", 0, 28, 4 + 8, 9, 2, 32, 1},
    {"fused_sparse_software", "sparse_split_32", 0, 28, 4 + 16, 9, 2, 32, 1},
    {"fused_sparse_software", "sparse_packed_16", 0, 28, 4 + 8, 10, 1, 32, 2},
    {"fused_sparse_software", "sparse_packed_32", 0, 28, 4 + 16, 10, 1, 32, 2},
    {"fused_sparse_fp8_pv", "sparse_split_16", 8, 7, 4 + 1, 9, 2, 0, 1},
    {"fused_sparse_fp8_pv", "sparse_split_32", 8, 14, 4 + 2, 9, 2, 0, 1},
    {"fused_sparse_fp8_pv", "sparse_packed_16", 8, 7, 4 + 1, 10, 1, 0, 1},
    {"fused_sparse_fp8_pv", "sparse_packed_32", 8, 14, 4 + 2, 10, 1, 0, 1},
};

MachineCode loop_of(const std::string& file, const char* kernel) {
  return main_loop(disassemble(file).at(kernel));
}

} // namespace

TEST_CASE("sparse: the loop over tiles never drains the memory pipeline") {
  for (const Expected& of : expected) {
    CAPTURE(of.code_object, of.kernel);
    const MachineCode loop = loop_of(code_object_file(of.code_object), of.kernel);
    REQUIRE(!loop.empty());
    CHECK(count(loop, "v_mfma_scale_f32_16x16x128_f8f6f4") == of.scaled_products);
    CHECK(count(loop, "v_mfma_f32_16x16x32_fp8_fp8") == of.fp8_products);
    CHECK(count(loop, "v_mfma_f32_16x16x32_bf16") == of.bf16_products);
    CHECK(count(loop, "v_cvt_scalef32_pk_bf16_fp8") == of.conversions);
    CHECK(count(loop, "global_load_lds_dwordx4") == of.staged_strips);
    CHECK(count(loop, "global_load_lds_dword ") == of.staged_words);
    CHECK(count(loop, "s_barrier") == of.barriers);
    CHECK(count(loop, "vmcnt") == 1);
    CHECK(count(loop, "vmcnt(1)") == 1); // rows, but for ids
    CHECK(count(loop, "scratch_") == 0);
    CHECK(count(loop, "v_accvgpr") == 0);
  }
}

TEST_CASE("sparse: no register of a load in flight is touched") {
  for (const Expected& of : expected) {
    CAPTURE(of.code_object, of.kernel);
    CHECK(touches_load_in_flight(loop_of(code_object_file(of.code_object), of.kernel)) == "");
  }
}

TEST_CASE("sparse: a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(as<std::string>(), "ids_read", "k_read", "p_read", "v_read");
  CAPTURE(mutant);
  const auto file = mutant_named("fused", "fused_sparse/" + mutant).file;
  for (const Expected& of : expected)
    if (std::string(of.code_object) == "fused_sparse") {
      CAPTURE(of.kernel);
      CHECK(touches_load_in_flight(loop_of(file, of.kernel)) != "");
    }
}

TEST_CASE("sparse: kernels use no scratch memory, and two workgroups fit a CU") {
  for (const Expected& of : expected) {
    CAPTURE(of.code_object, of.kernel);
    const auto values = kernel_metadata(code_object_file(of.code_object)).at(of.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    // Of the whole register file: accumulation registers are part of it.
    CHECK(values.at("vgpr_count") <= 256);
    CHECK(values.at("group_segment_fixed_size") <= 80 * 1024);
    CHECK(values.at("max_flat_workgroup_size") == fmha950::fused::sparse::threads);
  }
}
