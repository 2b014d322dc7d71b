// What clang made of sparse_prefill's attention kernels:
// the promises of their sources hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

namespace {

// What the loop over tiles has to have, by kernel.
struct Expected {
  const char *code_object, *kernel;
  int waves, registers;    // of a workgroup; vector registers that a wave may have
  int products, row_reads; // matrix instructions; reads of keys
  int value_reads;         // transposed
  int rows;                // that a wave stages
  int exchanges;           // of two numbers that a head's lanes tell the other waves; a third is read
  int barriers;
};
constexpr Expected expected[] = {
    {"prepass_sparse_wide", "sparse_attention_64", 4, 256, 64, 32, 64, 8, 0, 1},
    {"prepass_sparse_wide", "sparse_attention_128", 8, 256, 64, 32, 64, 4, 0, 1},
    {"prepass_sparse_narrow", "sparse_attention_16", 4, 512, 32, 16, 32, 16, 1, 3},
    {"prepass_sparse_narrow", "sparse_attention_32", 4, 512, 64, 16, 32, 16, 2, 3},
};

MachineCode loop_of(const std::string& file, const char* kernel) {
  return main_loop(disassemble(file).at(kernel));
}

} // namespace

TEST_CASE("sparse: the loop over tiles never drains the memory pipeline") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    const MachineCode loop = loop_of(code_object_file(of.code_object), of.kernel);
    REQUIRE(!loop.empty());
    CHECK(count(loop, "v_mfma_f32_16x16x32_bf16") == of.products);
    CHECK(count(loop, "ds_read_b128") == of.row_reads + 3 * of.exchanges); // maxima, and P in two steps
    CHECK(count(loop, "ds_read_b64_tr_b16") == of.value_reads);
    CHECK(count(loop, "global_load_lds_dwordx4") == of.rows);
    CHECK(count(loop, "global_load_lds_dword ") == 1); // ids of rows
    CHECK(count(loop, "ds_read_b32") == 1);
    CHECK(count(loop, "ds_write_b64") == of.exchanges); // P
    CHECK(count(loop, "ds_write_b32") == of.exchanges); // maxima
    CHECK(count(loop, "s_barrier") == of.barriers);
    CHECK(count(loop, "vmcnt") == 2);
    CHECK(count(loop, "vmcnt(1)") == 1);                               // rows, but for ids
    CHECK(count(loop, "vmcnt(" + std::to_string(of.rows) + ")") == 1); // ids, but for rows
    CHECK(count(loop, "scratch_") == 0);
    CHECK(count(loop, "v_accvgpr") == 0);
  }
}

TEST_CASE("sparse: no register of a load in flight is touched") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    CHECK(touches_load_in_flight(loop_of(code_object_file(of.code_object), of.kernel)) == "");
  }
}

TEST_CASE("sparse: a missing wait for registers shows in the machine code") {
  for (const Expected& of : expected)
    for (const char* mutant : {"key_rows_read", "value_rows_read"}) {
      CAPTURE(of.kernel, mutant);
      const std::string name = std::string(of.code_object) + "/" + mutant;
      CHECK(touches_load_in_flight(loop_of(mutant_named("prepass", name).file, of.kernel)) != "");
    }
}

TEST_CASE("sparse: kernels use no scratch memory and fit as many waves per SIMD as they have") {
  for (const Expected& of : expected) {
    CAPTURE(of.kernel);
    const auto values = kernel_metadata(code_object_file(of.code_object)).at(of.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    // vgpr_count is of the whole register file: accumulation registers are part of it.
    CHECK(values.at("vgpr_count") <= of.registers);
    CHECK(values.at("group_segment_fixed_size") <= 160 * 1024);
    CHECK(values.at("max_flat_workgroup_size") == of.waves * 64);
  }
}
