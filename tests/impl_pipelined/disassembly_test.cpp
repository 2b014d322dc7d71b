// What clang made of every kernel of every variant: the promises of prefill.hip hold in the machine code.
#include "tests/support/code_object.hpp"
#include "tests/support/loads_in_flight.hpp"
#include "tests/support/machine_code.hpp"
#include "tests/support/mutants.hpp"
#include "tests/support/source_path.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <set>

using namespace fmha950::test;

namespace {

constexpr int tiles = 2; // of an iteration of the loop: the buffers' two parities

bool is_direct(const KernelOfVariant& kernel) { return kernel.variant.starts_with("pipelined_direct"); }
bool is_prefill(const KernelOfVariant& kernel) { return kernel.kernel.starts_with("prefill_"); }

std::vector<KernelOfVariant> prefill_kernels() {
  std::vector<KernelOfVariant> kernels = kernels_starting("pipelined_");
  std::erase_if(kernels, [](const KernelOfVariant& kernel) { return !is_prefill(kernel); });
  return kernels;
}

const MachineCode& code_of(const KernelOfVariant& kernel) {
  static std::map<std::string, std::map<std::string, MachineCode>> files;
  auto& file = files[kernel.variant];
  if (file.empty()) file = disassemble(code_object_file(kernel.variant));
  return file.at(kernel.kernel);
}

bool is_table_load(const std::string& text) { return text.starts_with("global_load_dword "); }
bool is_lds_dma(const std::string& text) {
  return text.starts_with("buffer_load_dwordx4") ? text.ends_with(" lds")
                                                 : text.starts_with("global_load_lds_dwordx4");
}

// The queue of vector memory in the loop, one word per operation and wait, in the order of the code: T a
// table lookup, D a strip of a tile, wN a wait that keeps N in flight.
std::vector<std::string> queue_of(const MachineCode& loop) {
  std::vector<std::string> queue;
  for (const Instruction& instruction : loop) {
    const std::string& text = instruction.text;
    if (is_table_load(text))
      queue.push_back("T");
    else if (is_lds_dma(text))
      queue.push_back("D");
    else if (text.starts_with("global_") || text.starts_with("buffer_") || text.starts_with("flat_"))
      queue.push_back(text);
    else if (const size_t wait = text.find("vmcnt("); wait != text.npos)
      queue.push_back("w" + text.substr(wait + 6, text.find(')', wait) - wait - 6));
  }
  return queue;
}

// The wait of phase 1 keeps V and the younger lookup and K in flight, that of phase 3 K and V.
const std::vector<std::string> queue_with_pages = {"T", "D", "w3", "D", "w2", "T", "D", "w3", "D", "w2"};
const std::vector<std::string> queue_without_pages = {"D", "w2", "D", "w2", "D", "w2", "D", "w2"};

// The same cyclic sequence, from wherever it starts.
bool is_rotation(std::vector<std::string> queue, const std::vector<std::string>& expected) {
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue == expected) return true;
    std::rotate(queue.begin(), queue.begin() + 1, queue.end());
  }
  return false;
}

} // namespace

TEST_CASE("every way of paging has its kernels, with and without soft cap, on both matrix paths") {
  std::vector<std::string> names;
  for (const auto& [variant, kernel] : prefill_kernels()) names.push_back(variant + "/" + kernel);
  CHECK(names.size() == 30);
  for (const std::string path : {"pipelined_f8f6f4", "pipelined_fp8"})
    for (const std::string cap : {"", "_cap"}) {
      for (const std::string keys : {"rebased", "scattered", "scattered_64", "contiguous"})
        CHECK_THAT(names, Catch::VectorContains(path + "/prefill_" + keys + cap));
      for (const std::string keys : {"rebased", "scattered_64"})
        CHECK_THAT(names, Catch::VectorContains(path + "_blockscale/prefill_" + keys + cap));
    }
  for (const std::string keys :
       {"/prefill_rebased", "/prefill_scattered", "/prefill_scattered_64", "/prefill_contiguous",
        "_blockscale/prefill_rebased", "_blockscale/prefill_scattered_64"})
    CHECK_THAT(names, Catch::VectorContains("pipelined_direct" + keys)); // without soft cap
}

TEST_CASE("the loop over tiles never drains the memory pipeline, and paging does not branch") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    const MachineCode loop = main_loop(code_of(kernel));
    REQUIRE(!loop.empty());
    const bool x64 = !kernel.variant.starts_with("pipelined_fp8"), direct = is_direct(kernel);
    CHECK(count(loop, x64 ? "v_mfma_f32_32x32x64_f8f6f4" : "v_mfma_f32_32x32x16_fp8_fp8") ==
          tiles * (x64 ? 8 : 32)); // half of them S^T, half O^T
    CHECK(count(loop, "v_mfma_f32_16x16x128_f8f6f4") == tiles * (direct ? 1 : 0)); // the sum of P
    CHECK(count(loop, "v_mfma") == tiles * ((x64 ? 8 : 32) + (direct ? 1 : 0)));
    CHECK(count(loop, "vmcnt(0)") == 0);
    CHECK(count(loop, "s_barrier") == tiles * 4);
    // K: two blocks of 32 keys in four pieces; V: four blocks of 32 columns in four pieces.
    CHECK(count(loop, "ds_read_b128") == tiles * 8);
    CHECK(count(loop, "ds_read_b64_tr_b8") == tiles * 16);
    CHECK(count(loop, "scratch_") == 0);
    CHECK(count(loop, "v_accvgpr") == 0);
    // Per tile: is a mask needed, does a reference move, is the output to be rescaled; per iteration: is there another.
    CHECK(count(loop, "s_cbranch") == tiles * 3 + 1);
    CHECK(count(loop, "s_cbranch_exec") == 0);
    CHECK(count(loop, "s_call") + count(loop, "s_swappc") + count(loop, "s_setpc") == 0);
  }
}

TEST_CASE("K and V arrive by LDS DMA of 16 bytes, behind the page of the tile after, under counted waits") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    const bool has_pages = kernel.kernel.find("contiguous") == std::string::npos;
    const auto queue = queue_of(main_loop(code_of(kernel)));
    CAPTURE(queue);
    CHECK(is_rotation(queue, has_pages ? queue_with_pages : queue_without_pages));
  }
}

TEST_CASE("a lookup behind the tiles, and a count one too large, show in the queue") {
  const std::string name = GENERATE(as<std::string>(), "page_before_tiles", "k_arrived_n", "v_arrived_n");
  CAPTURE(name);
  const auto kernels = disassemble(mutant_named("pipelined", "pipelined_f8f6f4/" + name).file);
  CHECK_FALSE(is_rotation(queue_of(main_loop(kernels.at("prefill_rebased"))), queue_with_pages));
}

TEST_CASE("nothing branches between a table load and the tile that follows it") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    bool after_table = false;
    for (const Instruction& instruction : main_loop(code_of(kernel))) {
      if (is_lds_dma(instruction.text)) after_table = false;
      if (after_table) CHECK(instruction.target == 0);
      if (is_table_load(instruction.text)) after_table = true;
    }
    CHECK_FALSE(after_table);
  }
}

TEST_CASE("at half the matrix rate computing phases have priority, else those that move memory") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    const bool matrix_bound = kernel.variant.starts_with("pipelined_fp8");
    const std::string computing = matrix_bound ? "s_setprio 1" : "s_setprio 0",
                      moving = matrix_bound ? "s_setprio 0" : "s_setprio 1";
    std::vector<std::string> order; // of priorities, products and barriers
    for (const Instruction& instruction : main_loop(code_of(kernel))) {
      const std::string& text = instruction.text;
      if (text.starts_with("s_setprio") || text == "s_barrier") order.push_back(text);
      if (text.starts_with("v_mfma") && order.back() != "v_mfma") order.push_back("v_mfma");
    }
    const std::vector<std::string> tile = {computing, "v_mfma", moving, "s_barrier", "s_barrier",
                                           computing, "v_mfma", moving, "s_barrier", "s_barrier"};
    std::vector<std::string> expected = tile;
    expected.insert(expected.end(), tile.begin(), tile.end());
    CAPTURE(order);
    CHECK(is_rotation(order, expected));
  }
}

// The compiler takes registers that inline assembly loads for filled at once: it must not touch them before
// our wait.
TEST_CASE("no register of a load in flight is touched") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    CHECK(touches_load_in_flight(main_loop(code_of(kernel))) == "");
  }
}

TEST_CASE("a missing wait for registers shows in the machine code") {
  const std::string name = GENERATE(as<std::string>(), "k_read", "v_read", "v_arrived");
  CAPTURE(name);
  const auto kernels = disassemble(mutant_named("pipelined", "pipelined_f8f6f4/" + name).file);
  CHECK(touches_load_in_flight(main_loop(kernels.at("prefill_scattered"))) != "");
}

TEST_CASE("direct P has a conversion a score and no exponential but the factor's, the others have both") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    if (kernel.kernel.ends_with("_cap")) continue;
    CAPTURE(kernel.variant, kernel.kernel);
    const MachineCode loop = main_loop(code_of(kernel));
    constexpr int scores = 32; // of a lane and tile
    const bool direct = is_direct(kernel);
    CHECK(count(loop, "v_exp_f32") == tiles * (direct ? 1 : scores + 1));
    CHECK(count(loop, "v_cvt_pk_u8_f32") == tiles * (direct ? scores : 0));
    CHECK(count(loop, "v_cvt_pk_fp8_f32") == tiles * (direct ? 0 : scores / 2));
  }
}

// Such an instruction may not run beside the matrix unit (docs/timing.md, packed_alone).
TEST_CASE("packed fp32 arithmetic stands behind the exponentials of a product, when that is nearly done") {
  const auto stands_behind = [](const MachineCode& loop) {
    constexpr int of_a_quarter = 4;
    int exponentials = of_a_quarter; // since the last product
    return std::ranges::all_of(loop, [&](const Instruction& instruction) {
      if (instruction.text.starts_with("v_mfma")) exponentials = 0;
      exponentials += instruction.text.starts_with("v_exp_f32");
      return !instruction.text.starts_with("v_pk_") || exponentials >= of_a_quarter;
    });
  };
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    if (kernel.kernel.ends_with("_cap")) continue; // whose VALU work is four times that of the products
    CAPTURE(kernel.variant, kernel.kernel);
    const MachineCode loop = main_loop(code_of(kernel));
    if (kernel.variant.starts_with("pipelined_f8f6f4")) {
      CHECK(count(loop, "v_pk_fma_f32") > 0);
      CHECK(stands_behind(loop));
    }
    if (is_direct(kernel)) CHECK_FALSE(stands_behind(loop)); // which has none
  }
}

TEST_CASE("the kernels use no scratch memory, LDS as computed, and fit two waves per SIMD") {
  for (const KernelOfVariant& kernel : prefill_kernels()) {
    CAPTURE(kernel.variant, kernel.kernel);
    const auto values = kernel_metadata(code_object_file(kernel.variant)).at(kernel.kernel);
    CHECK(values.at("vgpr_spill_count") == 0);
    // Scalar registers may wait in a vector register's lanes outside of the loop.
    CHECK(count(main_loop(code_of(kernel)), "v_readlane") == 0);
    CHECK(count(main_loop(code_of(kernel)), "v_writelane") == 0);
    CHECK(values.at("private_segment_fixed_size") == 0);
    CHECK(values.at("vgpr_count") + values.at("agpr_count") <= 256);
    CHECK(values.at("group_segment_fixed_size") == 4 * 64 * 128); // K twice, V twice, nothing else
    CHECK(values.at("max_flat_workgroup_size") == 512);
    CHECK(count(code_of(kernel), "scratch_") == 0);
  }
}

TEST_CASE("docs/pipelined.md has the registers of each kernel") {
  std::ifstream page(fmha950::source_path("docs/pipelined.md"));
  std::set<std::string> lines;
  for (std::string line; std::getline(page, line);) lines.insert(line);
  for (const KernelOfVariant& kernel : kernels_starting("pipelined_")) {
    const auto values = kernel_metadata(code_object_file(kernel.variant)).at(kernel.kernel);
    std::string row = fmt::format("| {} | {} |", kernel.variant, kernel.kernel);
    for (const char* key : {"vgpr_count", "agpr_count", "sgpr_count", "group_segment_fixed_size",
                            "private_segment_fixed_size", "vgpr_spill_count", "sgpr_spill_count"})
      row += fmt::format(" {} |", values.contains(key) ? values.at(key) : 0);
    CAPTURE(row);
    CHECK(lines.contains(row));
  }
}
