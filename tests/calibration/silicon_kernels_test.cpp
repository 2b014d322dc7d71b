// The kernels of silicon-check: what their machine code holds, and that they keep to the rules that the device checks.
#include "calibration/energy.hpp"
#include "calibration/micro.hpp"
#include "tests/calibration/device_checks.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/machine_code.hpp"

#include "tests/support/catch.hpp"
#include <map>

using namespace fmha950;
using namespace fmha950::calibration;
using namespace fmha950::test;

namespace {

// Each of these kernels has one.
MachineCode loop_of(const MachineCode& code) {
  MachineCode loop;
  for (const Instruction& branch : code)
    if (branch.target != 0 && branch.target <= branch.address)
      for (const Instruction& instruction : code)
        if (instruction.address >= branch.target && instruction.address <= branch.address)
          loop.push_back(instruction);
  return loop;
}

const char* mnemonic_of(EnergyMatrix matrix) {
  switch (matrix) {
  case EnergyMatrix::none: return "v_mfma";
  case EnergyMatrix::bf16: return "v_mfma_f32_16x16x32_bf16";
  case EnergyMatrix::bf16_32: return "v_mfma_f32_32x32x16_bf16";
  case EnergyMatrix::fp8: return "v_mfma_f32_16x16x32_fp8_fp8";
  case EnergyMatrix::f8f6f4: return "v_mfma_f32_16x16x128_f8f6f4";
  }
  return "";
}

const char* mnemonic_of(EnergyBeside beside) {
  switch (beside) {
  case EnergyBeside::nothing: return "v_fma_f32";
  case EnergyBeside::sleep: return "s_sleep 0x7f";
  case EnergyBeside::nop: return "s_nop 9";
  case EnergyBeside::fma: return "v_fma_f32";
  case EnergyBeside::pk_fma: return "v_pk_fma_f32";
  case EnergyBeside::exp: return "v_exp_f32";
  case EnergyBeside::cvt: return "v_cvt_pk_fp8_f32";
  case EnergyBeside::lds_read: return "ds_read_b128";
  case EnergyBeside::load: return "global_load_dwordx4";
  }
  return "";
}

} // namespace

TEST_CASE("rates machine code: a body is its steps") {
  const std::map<std::string, std::vector<std::pair<std::string, int>>> expected = {
      {"rate_mfma_32x32x16", {{"v_mfma_f32_32x32x16_bf16", 1}}},
      {"rate_mfma_16x16x128", {{"v_mfma_f32_16x16x128_f8f6f4", 1}}},
      {"rate_mfma_32x32x64", {{"v_mfma_f32_32x32x64_f8f6f4", 1}}},
      {"rate_mfma_and_fma", {{"v_mfma_f32_16x16x32_bf16", 1}, {"v_fma_f32", fma_beside_mfma}}},
      {"rate_cvt_pk_fp8", {{"v_cvt_pk_fp8_f32", 1}}},
      {"rate_cvt_pk_u8", {{"v_cvt_pk_u8_f32", 1}}},
      {"rate_mfma_and_pk_fma", {{"v_mfma_f32_32x32x16_bf16", 1}, {"v_pk_fma_f32", 1}}},
      {"rate_pk_fma", {{"v_pk_fma_f32", 1}}},
      {"rate_lds_read_b128", {{"ds_read_b128", 1}}},
      {"rate_lds_dma", {{" lds", 1}, {"ds_write_b64", writes_beside_dma}}},
      {"rate_barrier", {{"s_barrier", 1}}}};
  const auto code = disassemble(code_object_file("calibration_rates"));
  CHECK(code.size() == expected.size());
  for (const auto& [name, steps] : expected) {
    CAPTURE(name);
    const MachineCode loop = loop_of(code.at(name));
    for (const auto& [text, of_step] : steps) {
      CAPTURE(text);
      CHECK(count(loop, text) == of_step * micro_kernel(name).steps);
    }
    CHECK(count(loop, "s_nop") <= micro_kernel(name).steps / 4); // between reads
  }
}

TEST_CASE("energy machine code: a body holds what is counted and nothing else that costs") {
  const auto code = disassemble(code_object_file("calibration_energy"));
  for (const EnergyKernel& kernel : energy_kernels()) {
    CAPTURE(kernel.name);
    const MachineCode loop = loop_of(code.at("energy_" + std::string(kernel.name)));
    const EnergyCounts counts = counts_of(kernel.work);
    CHECK(count(loop, mnemonic_of(kernel.work.matrix)) == counts.matrix);
    CHECK(count(loop, "v_mfma") == counts.matrix);
    const bool idle = kernel.work.beside == EnergyBeside::sleep || kernel.work.beside == EnergyBeside::nop;
    CHECK(count(loop, mnemonic_of(kernel.work.beside)) == counts.beside);
    int vector = 0;
    for (const Instruction& instruction : loop)
      vector += instruction.text.starts_with("v_") || instruction.text.starts_with("ds_") ||
                instruction.text.starts_with("global_");
    CHECK(vector == counts.matrix + (idle ? 0 : counts.beside));
  }
  for (const auto& [name, values] : kernel_metadata(code_object_file("calibration_energy"))) {
    CAPTURE(name);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") <= 256); // two waves on a SIMD
  }
}

TEST_CASE("silicon kernels: nothing is reported, and every wave leaves its stamp") {
  for (const MicroKernel& kernel : micro_kernels()) {
    if (!kernel.name.starts_with("rate_")) continue;
    CAPTURE(kernel.name);
    const DeviceChecks checks;
    const Micro micro(kernel.name, std::vector<uint32_t>(kernel.table == MicroTable::lds_content ? 4096 : 0));
    micro.launch(2, nullptr);
    CHECK(checks.findings() == "");
    CHECK(micro.stamps().size() == static_cast<size_t>(kernel.waves));
    for (const LoopStamp& stamp : micro.stamps()) CHECK(stamp.end_clocks > stamp.begin_clocks);
  }
  const std::vector<uint32_t> only = {1};
  for (const EnergyKernel& kernel : energy_kernels()) {
    CAPTURE(kernel.name);
    const DeviceChecks checks;
    const Energy energy(kernel.name, 2, 64 << 10);
    energy.launch(2, &only);
    CHECK(checks.findings() == "");
    const std::vector<LoopStamp> stamps = energy.stamps();
    for (size_t wave = 0; wave < energy_waves; ++wave)
      CHECK(stamps[energy_waves + wave].end_clocks > stamps[energy_waves + wave].begin_clocks);
  }
}

TEST_CASE("energy kernels: what is wrong is refused with what would be right") {
  CHECK_THROWS_WITH(Energy("warp", 1, 1 << 16),
                    Catch::StartsWith("energy kernel = warp: must be one of idle_sleep"));
  CHECK_THROWS_WITH(Energy("load", 1, 48 << 10),
                    "region = 49152 bytes: must be a power of two from 32768 on");
  CHECK_THROWS_WITH(Energy("fma", 1, 1 << 16).launch(0), "iterations = 0: must be at least 1");
}
