// What clang made of the calibration kernels: the promises of their sources hold in the machine code.
#include "calibration/gemm.hpp"
#include "calibration/micro.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using namespace fmha950::calibration;
using namespace fmha950::test;

namespace {

const std::map<std::string, MachineCode>& gemm_code() {
  static const auto code = disassemble(code_object_file("calibration_gemm"));
  return code;
}

// The loop with most of these instructions.
MachineCode loop_with_most(const MachineCode& code, const std::string& text) {
  MachineCode best;
  for (const Instruction& branch : code) {
    if (branch.target == 0 || branch.target > branch.address) continue;
    MachineCode loop;
    for (const Instruction& instruction : code)
      if (instruction.address >= branch.target && instruction.address <= branch.address)
        loop.push_back(instruction);
    if (count(loop, text) > count(best, text)) best = loop;
  }
  return best;
}

bool ping_pong(const GemmKernel& kernel) { return kernel.threads == 512; }

} // namespace

TEST_CASE("GEMM machine code: the loop over K steps holds its instructions and no others of their kind") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    CAPTURE(kernel.name);
    const MachineCode loop = main_loop(gemm_code().at(std::string(kernel.name)));
    REQUIRE(!loop.empty());
    // Shares of 256 x 256 x step, a matrix instruction being 2^14 (bf16) or 2^15 or 2^16 (fp8) products.
    const int waves = static_cast<int>(kernel.threads / 64);
    const bool bf16 = kernel.element == ElementType::bf16;
    const int products = count(loop, "v_mfma_f32_16x16x32_bf16") * (16 * 16 * 32) +
                         count(loop, "v_mfma_f32_32x32x16_bf16") * (32 * 32 * 16) +
                         count(loop, "v_mfma_f32_16x16x128_f8f6f4") * (16 * 16 * 128) +
                         count(loop, "v_mfma_f32_32x32x64_f8f6f4") * (32 * 32 * 64);
    CHECK(products * waves == 256 * 256 * (bf16 ? 64 : 128));
    const std::string edge =
        kernel.name.find("_32_") != std::string_view::npos ? "v_mfma_f32_32x32" : "v_mfma_f32_16x16";
    CHECK(count(loop, edge) == count(loop, "v_mfma"));
    CHECK(count(loop, " lds") == 64 / waves);
    CHECK(count(loop, "ds_read_b128") == (ping_pong(kernel) ? 24 : 32));
    CHECK(count(loop, "s_barrier") == (ping_pong(kernel) ? 8 : 4));
    CHECK(count(loop, "vmcnt(0)") == 0);
    CHECK(count(loop, "scratch_") == 0);
    CHECK(count(loop, "v_accvgpr") == 0);
    CHECK(count(loop, "v_mov") == 0);
  }
}

TEST_CASE("GEMM machine code: between two barriers eight waves multiply a quadrant, or not at all") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    if (!ping_pong(kernel)) continue;
    CAPTURE(kernel.name);
    const MachineCode loop = main_loop(gemm_code().at(std::string(kernel.name)));
    const int quadrant = count(loop, "v_mfma") / 4;
    int products = 0, quadrants = 0;
    for (const Instruction& instruction : loop) {
      if (instruction.text.starts_with("v_mfma")) ++products;
      if (!instruction.text.starts_with("s_barrier")) continue;
      CHECK((products == 0 || products == quadrant));
      quadrants += products > 0;
      products = 0;
    }
    CHECK(products == 0);
    CHECK(quadrants == 4);
  }
}

TEST_CASE("GEMM machine code: no register of a load in flight is touched") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    CAPTURE(kernel.name);
    CHECK(touches_load_in_flight(main_loop(gemm_code().at(std::string(kernel.name)))) == "");
  }
}

// gemm_sums.hpp: nobody else may use what the compiler does not know to be in use.
TEST_CASE("GEMM machine code: four waves' accumulation registers are the sums' alone") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    if (ping_pong(kernel)) continue;
    CAPTURE(kernel.name);
    const MachineCode& code = gemm_code().at(std::string(kernel.name));
    CHECK(count(code, "v_accvgpr_write_b32") == 256); // zeros
    CHECK(count(code, "v_accvgpr_read_b32") == 256);  // results
    CHECK(count(code, "v_accvgpr_mov") == 0);
  }
}

TEST_CASE("calibration kernels use no scratch memory and fit the waves that share a SIMD") {
  const auto gemm = kernel_metadata(code_object_file("calibration_gemm"));
  for (const GemmKernel& kernel : gemm_kernels()) {
    CAPTURE(kernel.name);
    const auto& values = gemm.at(std::string(kernel.name));
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") <= (ping_pong(kernel) ? 256 : 512)); // of both kinds
    CHECK(values.at("group_segment_fixed_size") == 128 * 1024);
    CHECK(values.at("max_flat_workgroup_size") == static_cast<int>(kernel.threads));
  }
  for (const auto& [name, values] : kernel_metadata(code_object_file("calibration_micro"))) {
    CAPTURE(name);
    CHECK(values.at("private_segment_fixed_size") == 0);
  }
}

TEST_CASE("micro machine code: a body is its steps and the loop's own few scalar instructions") {
  const auto code = disassemble(code_object_file("calibration_micro"));
  const auto check = [&](const std::string& kernel, const std::string& step, int others) {
    CAPTURE(kernel);
    const MachineCode loop = loop_with_most(code.at(kernel), step);
    int steps = 0;
    for (const MicroKernel& each : micro_kernels())
      if (each.name == kernel) steps = each.steps;
    CHECK(steps > 0);
    CHECK(count(loop, step) == steps);
    CHECK(static_cast<int>(loop.size()) <= steps + others + 4); // add, compare, branch, an s_nop
  };
  check("micro_mfma_chain", "v_mfma_f32_16x16x32_bf16", 0);
  check("micro_mfma_streams", "v_mfma_f32_16x16x32_bf16", 0);
  check("micro_fma_chain", "v_fma_f32", 0);
  check("micro_exp", "v_exp_f32", 0);
  check("micro_global_chase", "global_load_dword", global_chase_steps);
  check("micro_lds_gather", "ds_read_b32", lds_gather_steps);
  check("micro_lds_read_b64", "ds_read_b64", 1);
  check("micro_lds_read_b96", "ds_read_b96", 1);
  check("micro_lds_read_b128", "ds_read_b128", 1);
  check("micro_lds_write_b64", "ds_write_b64", 1);
  for (const int kibibytes : {4, 59, 91}) {
    const MachineCode loop = loop_with_most(code.at(fmt::format("micro_code_{}", kibibytes)), "v_fma_f32");
    CAPTURE(kibibytes);
    const int lines = kibibytes * code_lines; // of eight instructions of eight bytes
    CHECK(count(loop, "v_mfma_f32_32x32x16_bf16") == lines);
    CHECK(count(loop, "v_fma_f32") == lines * code_line_valus);
    CHECK(static_cast<int>(loop.size()) <= lines * (1 + code_line_valus) + 4);
  }
}
