// What clang made of the kernel for K and V in MXFP4.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950::test;

namespace {

constexpr const char* kernel = "attention_mxfp4";
constexpr int tiles = 2; // of a turn of the loop

const MachineCode& code() {
  static const auto kernels = disassemble(code_object_file("fused_mxfp4"));
  return kernels.at(kernel);
}

} // namespace

TEST_CASE("MXFP4: operands are E2M1 beside FP8, and the loop never drains the memory pipeline") {
  const MachineCode loop = main_loop(code());
  REQUIRE(!loop.empty());
  CHECK(count(loop, "v_mfma") == tiles * 8);
  CHECK(count(loop, "v_mfma_scale_f32_32x32x64_f8f6f4") == tiles * 8);
  // A is E2M1 (4), B is E4M3 (0, which is not printed), in each of them.
  CHECK(count(loop, "cbsz:4") == tiles * 8);
  CHECK(count(loop, "blgp") == 0);
  // Nothing widens an element: K is read as an operand, V transposed.
  CHECK(count(loop, "ds_read_b128") == tiles * 4);
  CHECK(count(loop, "ds_read_b64_tr_b4") == tiles * 8);
  CHECK(count(loop, "ds_read_b64_tr_b8") == tiles); // V's scales
  CHECK(count(loop, "v_cvt_scalef32") == 0);
  CHECK(count(loop, "global_load_lds_dwordx4") == tiles * 2); // half of what FP8 copies
  CHECK(count(loop, "global_load_lds_dword ") == tiles * 3);
  CHECK(count(loop, "s_barrier") == tiles * 2);
  CHECK(count(loop, "scratch_") == 0);
  CHECK(count(loop, "vmcnt") == tiles * 2);
  CHECK(count(loop, "vmcnt(5)") == tiles); // V, pages, K of the next tile, scales with both
  CHECK(count(loop, "vmcnt(4)") == tiles);
}

TEST_CASE("MXFP4: no register of a load in flight is touched, but in mutants that lack the wait") {
  CHECK(touches_load_in_flight(main_loop(code())) == "");
  for (const std::string mutant : {"pages_read", "k_read", "v_read"}) {
    CAPTURE(mutant);
    const auto kernels = disassemble(mutant_named("fused_mxfp4", "fused_mxfp4/" + mutant).file);
    CHECK(touches_load_in_flight(main_loop(kernels.at(kernel))) != "");
  }
}

TEST_CASE("MXFP4: no scratch memory, tiles of half the size, two waves per SIMD") {
  const auto values = kernel_metadata(code_object_file("fused_mxfp4")).at(kernel);
  CHECK(values.at("vgpr_spill_count") == 0);
  CHECK(values.at("sgpr_spill_count") == 0);
  CHECK(values.at("private_segment_fixed_size") == 0);
  CHECK(values.at("vgpr_count") + values.at("agpr_count") <= 256);
  CHECK(values.at("group_segment_fixed_size") == 4 * 64 * 64 + 20 * 256);
  CHECK(values.at("max_flat_workgroup_size") == 256);
}
