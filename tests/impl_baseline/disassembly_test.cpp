// What clang made of the kernels: the promises of their sources hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::test;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// What the name of a kernel says of its loop over tiles of 64 keys.
struct Expected {
  explicit Expected(const KernelOfVariant& of) {
    const std::string columns = of.variant.substr(of.variant.rfind('d') + 1); // "128", "192_128"
    const int head_dim = std::stoi(columns);
    const bool unequal = contains(columns, "_");
    const int value_dim = unequal ? std::stoi(columns.substr(columns.find('_') + 1)) : head_dim;
    const bool fp8 = contains(of.variant, "fp8");        // keys
    const bool widened = contains(of.variant, "16_fp8"); // to queries of 16 bits
    const bool vectorized = contains(of.kernel, "vectorized");
    const bool small_pages = contains(of.kernel, "small_pages") ||
                             contains(of.kernel, "blockscale_block_pages"); // descales of keys
    const int element = fp8 ? 1 : 2, row_bytes = head_dim * element, value_row_bytes = value_dim * element;
    const bool page_descales = contains(of.variant, "blockscale") || contains(of.kernel, "blockscale");
    const int times = small_pages && !widened ? 2 : 1; // O^T, of residues too
    matrix_instructions = 64 * head_dim / 512 + times * 64 * value_dim / 512;
    const int chunks_of_v = times * 64 * value_row_bytes / 16 / 64;
    conversions = widened ? 64 * (head_dim + value_dim) / 64 / 2 : 0; // of K and V, two elements each
    transposed_reads = vectorized ? 0 : 2 * chunks_of_v;
    // K, V where it needs no transposition, descales of K and V
    wide_reads = 64 * row_bytes / 16 / 64 * 1 + (vectorized ? chunks_of_v : 0) + (small_pages ? 16 : 0);
    transfers = 64 * (row_bytes + value_row_bytes) / 1024 / 4 + (page_descales ? 2 : 0) +
                1; // K, V, descales, look-up
    waves_per_simd = head_dim == 256 || row_bytes > 256 ? 1 : 2;
    // Of a turn of the loop. fp8's keeps two tiles in their places in LDS where registers allow it.
    tiles = fp8 && !widened && !small_pages && head_dim < 256 ? 2 : 1;
  }
  int tiles;
  int matrix_instructions, conversions, transposed_reads, wide_reads, transfers; // of a tile
  int waves_per_simd;
};

std::vector<KernelOfVariant> kernels() { return kernels_starting("baseline_"); }

MachineCode loop_of(const std::string& file, const std::string& kernel) {
  return main_loop(disassemble(file).at(kernel));
}

} // namespace

TEST_CASE("the loop over tiles never drains the memory pipeline") {
  // Of one type; the same for pages of blocks; fp8 widened; 192 columns in K; trees
  CHECK(kernels().size() == 30 + 24 + 60 + 2 * 4 + 3 * 10 + 38);
  for (const KernelOfVariant& of : kernels()) {
    CAPTURE(of.variant, of.kernel);
    const auto loop = loop_of(code_object_file(of.variant), of.kernel);
    const Expected expected(of);
    REQUIRE(!loop.empty());
    CHECK(count(loop, "v_mfma_f32_32x32x16") == expected.tiles * expected.matrix_instructions);
    CHECK(count(loop, "v_cvt_scalef32_pk_") == expected.tiles * expected.conversions);
    CHECK(count(loop, "vmcnt(0)") == 0);
    CHECK(count(loop, "vmcnt") == expected.tiles * 2); // K; V and pages
    CHECK(count(loop, "s_barrier") == expected.tiles * 2);
    CHECK(count(loop, "global_load_lds") == expected.tiles * expected.transfers);
    CHECK(count(loop, "ds_read_b64_tr") == expected.tiles * expected.transposed_reads);
    CHECK(count(loop, "ds_read_b128") == expected.tiles * expected.wide_reads);
    CHECK(count(loop, "scratch_") == 0);
  }
}

// The compiler takes registers that inline assembly loads for filled at once: it must not touch them before
// our wait.
TEST_CASE("no register of a load in flight is touched") {
  for (const KernelOfVariant& of : kernels()) {
    CAPTURE(of.variant, of.kernel);
    CHECK(touches_load_in_flight(loop_of(code_object_file(of.variant), of.kernel)) == "");
  }
}

TEST_CASE("a missing wait for registers shows in the machine code") {
  const std::string mutant = GENERATE(as<std::string>(), "pages_read", "baseline_bf16_d128/k_read",
                                      "baseline_bf16_d128/v_read", "k_descales_read", "v_descales_read");
  CAPTURE(mutant);
  const std::string kernel =
      contains(mutant, "descales") ? "attention_linear_small_pages" : "attention_linear";
  CHECK(touches_load_in_flight(loop_of(mutant_named("baseline", mutant).file, kernel)) != "");
}

TEST_CASE("the kernels use no scratch memory and as many registers as their waves share") {
  for (const KernelOfVariant& of : kernels()) {
    CAPTURE(of.variant, of.kernel);
    const Expected expected(of);
    const auto values = kernel_metadata(code_object_file(of.variant)).at(of.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    CHECK(values.at("sgpr_spill_count") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") <= 512 / expected.waves_per_simd); // accumulation registers included
    CHECK(values.at("group_segment_fixed_size") * expected.waves_per_simd <= 160 * 1024);
    CHECK(values.at("max_flat_workgroup_size") == 256);
  }
}
