// What clang made of the kernels: the promises of their sources hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950::test;

namespace {

constexpr int tiles = 2; // of a turn of the loop, which keeps them in the two places of LDS

// What a tile of 64 keys has to have, by kernel.
struct Expected {
  const char* kernel;
  int scaled_products; // of 4 of S^T and 4 of O^T
  int words;           // that a lane reads of LDS: page ids of its rows and scales of K
  int transposed;      // reads of V and of its scales
  int words_by_dma;    // page ids and scales
  int lists;           // of 256 bytes in LDS
};
constexpr Expected expected[] = {
    {"attention_tensor", 0, 2, 16, 1, 4},
    {"attention_mx_keys", 4, 3 + 2, 16, 2, 12},
    {"attention_mx", 8, 3 + 2, 17, 3, 20},
    {"attention_page", 0, 3 + 2, 16, 2, 12},
};

const MachineCode& code_of(const std::string& kernel) {
  static const auto kernels = disassemble(code_object_file("fused"));
  return kernels.at(kernel);
}

int waits_for_vector_memory(const MachineCode& loop, int outstanding) {
  return count(loop, "vmcnt(" + std::to_string(outstanding) + ")");
}

} // namespace

TEST_CASE("the loop over tiles never drains the memory pipeline") {
  const auto kernels = kernels_starting("fused"); // those of sparse_prefill, too
  CHECK(std::ranges::count(kernels, "fused", &KernelOfVariant::variant) == std::ssize(expected));
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    const MachineCode loop = main_loop(code_of(of.kernel));
    REQUIRE(!loop.empty());
    CHECK(count(loop, "v_mfma") == tiles * 8);
    CHECK(count(loop, "v_mfma_scale_f32_32x32x64_f8f6f4") == tiles * of.scaled_products);
    CHECK(count(loop, "v_mfma_f32_32x32x64_f8f6f4") == tiles * (8 - of.scaled_products));
    CHECK(count(loop, "global_load_lds_dwordx4") == tiles * 4);
    CHECK(count(loop, "global_load_lds_dword ") == tiles * of.words_by_dma);
    CHECK(count(loop, "ds_read_b128") == tiles * 8);
    CHECK(count(loop, "ds_read_b64_tr_b8") == tiles * of.transposed);
    CHECK(count(loop, "ds_read_b32") == tiles * of.words);
    CHECK(count(loop, "s_barrier") == tiles * 2);
    CHECK(count(loop, "scratch_") == 0);
    // K; V and pages.
    const int k_and_v = 4 + of.words_by_dma - 1;
    CHECK(count(loop, "vmcnt") == tiles * 2);
    CHECK(waits_for_vector_memory(loop, k_and_v + 1) == tiles);
    CHECK(waits_for_vector_memory(loop, k_and_v) == tiles);
  }
}

// Products of the first 64 columns need half of K's pieces only.
TEST_CASE("S^T begins while the second half of K is on its way to registers") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    const MachineCode loop = main_loop(code_of(of.kernel));
    const auto waits = [&](const char* count) {
      return [=](const Instruction& instruction) { return instruction.text.ends_with(count); };
    };
    const auto first = std::ranges::find_if(loop, waits("lgkmcnt(4)"));
    const auto last = std::find_if(first, loop.end(), waits("lgkmcnt(0)"));
    REQUIRE(last != loop.end());
    CHECK(count(MachineCode(first, last), "v_mfma") == 2);
  }
}

// The compiler takes registers that inline assembly loads for filled at once: it must not touch them before
// our wait.
TEST_CASE("no register of a load in flight is touched") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    CHECK(touches_load_in_flight(main_loop(code_of(of.kernel))) == "");
  }
}

TEST_CASE("a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(as<std::string>(), "fused/pages_read", "fused/k_read", "fused/v_read");
  CAPTURE(mutant);
  const auto kernels = disassemble(mutant_named("fused", mutant).file);
  for (const Expected& of : expected) CHECK(touches_load_in_flight(main_loop(kernels.at(of.kernel))) != "");
}

TEST_CASE("the kernels use no scratch memory, LDS as computed, and fit two waves per SIMD") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    const auto values = kernel_metadata(code_object_file("fused")).at(of.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") + values.at("agpr_count") <= 256);
    CHECK(values.at("group_segment_fixed_size") == 4 * 64 * 128 + of.lists * 256);
    CHECK(values.at("max_flat_workgroup_size") == 256);
  }
}
