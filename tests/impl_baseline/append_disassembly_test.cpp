// What clang made of append_prefill's kernels: the promises of their sources hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

namespace {

// One of those that attend, of which each code object has two of each kind, and its loop over tiles that are all old.
struct Attending {
  explicit Attending(const KernelOfVariant& of)
      : head_dim(std::stoi(of.variant.substr(of.variant.rfind('d') + 1))),
        loop(main_loop(disassemble(code_object_file(of.variant)).at(of.kernel))) {}
  int head_dim;
  MachineCode loop;
};

// Loads from memory are clang's, which counts them on every path; the order of addresses, in which other
// branches lie between, is none.
MachineCode without_memory(MachineCode loop) {
  std::erase_if(loop, [](const Instruction& each) { return each.text.starts_with("global_load"); });
  return loop;
}

std::vector<KernelOfVariant> attending() {
  auto kernels = kernels_starting("append_");
  std::erase_if(kernels, [](const KernelOfVariant& of) { return of.kernel.starts_with("append_alone"); });
  return kernels;
}

} // namespace

TEST_CASE("append_prefill: an old tile is staged once, by all, between two barriers") {
  CHECK(attending().size() == 4 * 2 * 3);
  for (const KernelOfVariant& of : attending()) {
    CAPTURE(of.variant, of.kernel);
    const Attending kernel(of);
    REQUIRE(!kernel.loop.empty());
    CHECK(count(kernel.loop, "v_mfma_f32_32x32x16") == 2 * 64 * kernel.head_dim / 512);
    CHECK(count(kernel.loop, "s_barrier") == 1);
    const int pieces = kernel.head_dim / 64; // of 16 values, in a lane, of K and of V
    CHECK(count(kernel.loop, "global_load_dwordx4") == 2 * pieces);
    CHECK(count(kernel.loop, "ds_write_b128") == 2 * 2 * pieces);
    CHECK(count(kernel.loop, "global_load_dword ") == 1); // look-ups: 64 tiles' pages, or a key's
    CHECK(count(kernel.loop, "scratch_") == 0);
  }
}

TEST_CASE("append_prefill: scales and arguments are not loaded in the loop over tiles") {
  for (const KernelOfVariant& of : attending()) {
    CAPTURE(of.variant, of.kernel);
    CHECK(count(Attending(of).loop, "s_load") == 0);
  }
}

TEST_CASE("append_prefill: no register of an LDS read in flight is touched") {
  for (const KernelOfVariant& of : attending()) {
    CAPTURE(of.variant, of.kernel);
    CHECK(touches_load_in_flight(without_memory(Attending(of).loop)) == "");
  }
}

TEST_CASE("append_prefill: a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(as<std::string>(), "k_read", "v_read");
  CAPTURE(mutant);
  const auto file = mutant_named("baseline", "append_bf16_d128/" + mutant).file;
  CHECK(touches_load_in_flight(without_memory(main_loop(disassemble(file).at("append_attention")))) != "");
}

TEST_CASE("append_prefill: no scratch memory, and two workgroups fit a compute unit") {
  for (const KernelOfVariant& of : kernels_starting("append_")) {
    CAPTURE(of.variant, of.kernel);
    const auto values = kernel_metadata(code_object_file(of.variant)).at(of.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") <= 256); // accumulation registers included
    CHECK(values.at("group_segment_fixed_size") * 2 <= 160 * 1024);
    CHECK(values.at("max_flat_workgroup_size") == 256);
  }
}
