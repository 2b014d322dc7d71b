// What clang made of the attention kernels: the promises of their sources hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

namespace {

const char* const variants[] = {"prepass_attention_bf16", "prepass_attention_bf16_blockscale",
                                "prepass_attention_fp16", "prepass_attention_bf16_d192",
                                "prepass_attention_bf16_blockscale_d192"};

MachineCode attention_loop(const std::string& file) {
  return main_loop(disassemble(file).at("attention_forward"));
}

} // namespace

TEST_CASE("the loop over tiles never drains the memory pipeline") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const auto loop = attention_loop(code_object_file(variant));
  REQUIRE(!loop.empty());
  const bool wide = variant.ends_with("_d192"); // Q and K have 192 columns
  const bool page_descales = variant.find("_blockscale") != std::string::npos;
  CHECK(count(loop, "v_mfma_f32_32x32x16") == (wide ? 24 : 16) + 16); // for S^T and for O^T
  CHECK(count(loop, "vmcnt(0)") == 0);
  CHECK(count(loop, "vmcnt") == 2); // one for V, one for K and the slots
  CHECK(count(loop, "s_barrier") == 4);
  CHECK(count(loop, " lds") == (page_descales ? 6 : 4) + (wide ? 1 : 0));
  CHECK(count(loop, "ds_read_b64_tr_b16") == 32);
  CHECK(count(loop, "ds_read_b128") == (page_descales ? 16 : 0) + (wide ? 24 : 16));
  CHECK(count(loop, "scratch_") == 0);
  CHECK(count(loop, "v_accvgpr") == 0);
}

// The compiler takes registers that inline assembly loads for filled at once: it must not touch them before
// our wait.
TEST_CASE("no register of a load in flight is touched") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  CHECK(touches_load_in_flight(attention_loop(code_object_file(variant))) == "");
}

TEST_CASE("a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(
      as<std::string>(), "prepass_attention_bf16/k_read", "v_read", "prepass_attention_bf16/k_arrived",
      "prepass_attention_bf16_d192/k_read", "second_k_read", "rest_of_k_read");
  CAPTURE(mutant);
  CHECK(touches_load_in_flight(attention_loop(mutant_named("prepass", mutant).file)) != "");
}

TEST_CASE("the code objects use no scratch memory and fit two waves per SIMD") {
  const std::string variant = GENERATE(from_range(std::begin(variants), std::end(variants)));
  CAPTURE(variant);
  const auto values = kernel_metadata(code_object_file(variant)).at("attention_forward");
  CHECK(values.at("vgpr_spill_count") == 0);
  CHECK(values.at("sgpr_spill_count") == 0);
  CHECK(values.at("private_segment_fixed_size") == 0);
  CHECK(values.at("vgpr_count") + values.at("agpr_count") <= 256);
  CHECK(values.at("group_segment_fixed_size") <= 160 * 1024);
  CHECK(values.at("max_flat_workgroup_size") == 512);
}
