// Static loop cost against loops whose instructions were counted by hand (loops.hip); rates against the
// tables of machine_gfx950.md section 6.3 and mfma_gfx950.md section 5.1.
#include "tests/timing/code_object_loops.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::timing;
using test::KernelLoops;

namespace {

const loader::CodeObject& loops() {
  static const loader::CodeObject code(test::read_code_object("timing_loops"));
  return code;
}

void check(const Count& count, int all, int conditional = 0) {
  CHECK(count.all == all);
  CHECK(count.conditional == conditional);
}

} // namespace

TEST_CASE("loop cost: every kind of instruction is counted") {
  const KernelLoops kernel(loops(), "every_kind");
  REQUIRE(kernel.costs.size() == 1);
  const LoopCost& cost = kernel.costs[0];
  check(cost.of(Kind::mfma), 3 + 2 + 1 + 5 + 4 + 1);
  check(cost.of(Kind::plain_valu), 7 + 1 + 1);
  check(cost.of(Kind::packed_valu), 5);
  check(cost.of(Kind::transcendental), 3 + 2);
  check(cost.of(Kind::conversion), 4);
  check(cost.of(Kind::lds_read), 6 + 1);
  check(cost.lds_read_bytes, 64 * (6 * 16 + 8));
  check(cost.of(Kind::lds_transpose), 2);
  check(cost.lds_transpose_bytes, 64 * 2 * 8);
  check(cost.of(Kind::lds_write), 3);
  check(cost.lds_write_bytes, 64 * 3 * 8);
  check(cost.of(Kind::lds_exchange), 1);
  check(cost.of(Kind::lds_atomic), 1);
  check(cost.lds_atomic_bytes, 64 * 4);
  check(cost.of(Kind::vmem_load), 2 + 1);
  check(cost.load_bytes, 64 * (2 * 16 + 2));
  check(cost.of(Kind::lds_dma), 4);
  check(cost.dma_bytes, 64 * 4 * 16);
  check(cost.of(Kind::vmem_store), 1);
  check(cost.store_bytes, 64 * 8);
  check(cost.of(Kind::vmem_atomic), 1);
  check(cost.atomic_bytes, 64 * 4);
  check(cost.of(Kind::smem), 1);
  check(cost.smem_bytes, 32);
  check(cost.of(Kind::salu), 2);
  check(cost.of(Kind::branch), 1);
  check(cost.of(Kind::barrier), 2);
  check(cost.of(Kind::nop), 3);
  check(cost.wait_states, 4 + 4 + 1);
  check(cost.of(Kind::other_internal), 1);
  check(cost.of(Kind::unknown), 0);
  // All but 4 waits, 2 barriers, 3 s_nops and s_setprio: 16 + 9 + 5 + 5 + 4 + 14 + 9 + 1 + 2 + 1.
  check(cost.issued, 66);

  REQUIRE(cost.waits.size() == 3);
  CHECK(cost.waits[0].first == "vmcnt(3)");
  CHECK(cost.waits[1].first == "lgkmcnt(0)");
  CHECK(cost.waits[1].second.all == 2);
  CHECK(cost.waits[2].first == "vmcnt(1) lgkmcnt(2)");
}

TEST_CASE("loop cost: an 8-bit operand doubles the passes of f8f6f4") {
  const LoopCost cost = KernelLoops(loops(), "every_kind").costs.at(0);
  const std::map<std::string, std::pair<int, int>> expected = {
      // name: count, passes of one
      {"v_mfma_f32_32x32x16_bf16", {3, 8}},
      {"v_mfma_f32_32x32x64_f8f6f4 fp8 x fp8", {2, 16}},
      {"v_mfma_f32_32x32x64_f8f6f4 fp8 x fp4", {1, 16}},
      {"v_mfma_f32_32x32x64_f8f6f4 fp4 x fp6", {5, 8}},
      {"v_mfma_scale_f32_16x16x128_f8f6f4 bf6 x bf6", {4, 4}},
      {"v_mfma_scale_f32_16x16x128_f8f6f4 fp6 x bf8", {1, 8}}};
  REQUIRE(cost.mfma.size() == expected.size());
  for (const auto& [name, count_and_passes] : expected) {
    INFO(name);
    REQUIRE(cost.mfma.contains(name));
    CHECK(cost.mfma.at(name).all == count_and_passes.first);
    CHECK(cost.passes.at(name) == count_and_passes.second);
  }
  check(cost.matrix_clocks, 4 * (3 * 8 + 2 * 16 + 16 + 5 * 8 + 4 * 4 + 8));
}

TEST_CASE("loop cost: clocks of every unit, and the one that binds") {
  const LoopCost cost = KernelLoops(loops(), "every_kind").costs.at(0);
  // 7 + accvgpr_read + 5 packed + 4 conversions at 4, v_mul_lo_u32 16, v_exp_f32 8, v_rcp_f64 32.
  check(cost.valu_clocks, 17 * 4 + 16 + 3 * 8 + 2 * 32);
  // Reads at 256 B/clk: b128 4, read2_b32 2, tr 2, the atomic 1. Writes at 128 B/clk: b64 4, bpermute and
  // atomic 2 each, DMA of 1024 bytes 8.
  check(cost.lds_read_clocks, 6 * 4 + 2 + 2 * 2 + 1);
  check(cost.lds_write_clocks, 3 * 4 + 2 + 2 + 4 * 8);

  const LoopClocks one = clocks_of(cost, 1), four = clocks_of(cost, 4);
  CHECK(one.of(LoopUnit::matrix) == 544);
  CHECK(one.of(LoopUnit::valu) == 172);
  CHECK(one.of(LoopUnit::lds) == 4 * (31 + 48)); // four SIMDs share it
  CHECK(one.of(LoopUnit::vmem) == 4 * (2176 + 4096 + 512 + 256) / 128.0);
  CHECK(one.of(LoopUnit::scalar) == 12);
  CHECK(one.of(LoopUnit::branch) == 4);
  CHECK(one.of(LoopUnit::wave_issue) == 4 * (66 + 9));
  CHECK(one.binding() == LoopUnit::matrix);
  for (LoopUnit unit :
       {LoopUnit::matrix, LoopUnit::valu, LoopUnit::lds, LoopUnit::vmem, LoopUnit::scalar, LoopUnit::branch})
    CHECK(four.of(unit) == 4 * one.of(unit));
  CHECK(four.of(LoopUnit::wave_issue) == one.of(LoopUnit::wave_issue));
}

TEST_CASE("loop cost: a nested loop is one deeper, and not in the outer one's figures") {
  const KernelLoops kernel(loops(), "nested");
  REQUIRE(kernel.costs.size() == 2);
  CHECK(kernel.found.loops[0].depth == 1);
  CHECK(kernel.found.loops[1].depth == 2);
  check(kernel.costs[0].of(Kind::plain_valu), 2);
  check(kernel.costs[0].of(Kind::transcendental), 1);
  check(kernel.costs[0].of(Kind::salu), 3);
  check(kernel.costs[0].of(Kind::barrier), 0);
  check(kernel.costs[1].of(Kind::plain_valu), 3);
  check(kernel.costs[1].of(Kind::transcendental), 0);
  check(kernel.costs[1].of(Kind::barrier), 1);
}

TEST_CASE("loop cost: two loops in a row") {
  const KernelLoops kernel(loops(), "two_loops");
  REQUIRE(kernel.costs.size() == 2);
  CHECK(kernel.found.loops[1].depth == 1);
  check(kernel.costs[0].matrix_clocks, 4 * 4);
  check(kernel.costs[1].matrix_clocks, 4 * 2 * 16); // f32 inputs
  check(kernel.costs[0].of(Kind::plain_valu), 0);
  check(kernel.costs[1].of(Kind::plain_valu), 0);
}

TEST_CASE("loop cost: both arms of a branch count, marked as conditional") {
  const LoopCost cost = KernelLoops(loops(), "branching").costs.at(0);
  check(cost.of(Kind::plain_valu), 6, 4);
  check(cost.of(Kind::transcendental), 2, 2);
  check(cost.of(Kind::branch), 3, 1);
  check(cost.issued, 6 + 2 + 3 + 3, 4 + 2 + 1);
  CHECK(clocks_of(cost, 1).of(LoopUnit::valu) == 6 * 4 + 2 * 8);
  CHECK(clocks_of(cost, 1, Arms::none).of(LoopUnit::valu) == 2 * 4);
  CHECK(clocks_of(cost, 1, Arms::none).of(LoopUnit::wave_issue) == 4 * 7);
}

TEST_CASE("loop cost: branches back to one head are one loop") {
  const KernelLoops kernel(loops(), "two_tails");
  REQUIRE(kernel.costs.size() == 1);
  CHECK(kernel.found.loops[0].tails.size() == 2);
  check(kernel.costs[0].of(Kind::plain_valu), 2, 1);
}

TEST_CASE("loop cost: a cycle with two entries is no loop, and is said") {
  const KernelLoops kernel(loops(), "two_entries");
  CHECK(kernel.found.loops.empty());
  CHECK(kernel.found.irreducible == 1);
  CHECK(KernelLoops(loops(), "straight").found.loops.empty());
  CHECK(KernelLoops(loops(), "straight").found.irreducible == 0);
}

TEST_CASE("loop cost: the attention kernel's main loop is what its tile sizes make it") {
  const loader::CodeObject code(test::read_code_object("prepass_attention_bf16"));
  const KernelLoops kernel(code, "attention_forward");
  // A wave multiplies 32 queries with a tile of 64 keys and 128 columns, twice; 32x32x16 does 32 * 32 * 16.
  constexpr int products = 2 * 32 * 64 * 128 / (32 * 32 * 16);
  // Its tile of K and of V are 64 rows of 256 bytes; eight waves share the staging, each reads all of them.
  constexpr int tile_bytes = 64 * 256;
  int main_loops = 0;
  for (const LoopCost& cost : kernel.costs) {
    if (cost.mfma.empty()) continue;
    ++main_loops;
    check(cost.mfma.at("v_mfma_f32_32x32x16_bf16"), products);
    check(cost.matrix_clocks, products * 8 * 4);
    check(cost.lds_read_bytes, tile_bytes);
    check(cost.lds_transpose_bytes, tile_bytes);
    check(cost.dma_bytes, 2 * tile_bytes / 8);
    check(cost.of(Kind::barrier), 4);
    // A lane has 64 * 32 / 64 scores; their exponentials, and behind a branch the factor of a rescaling;
    // 2 to 1 when they are rounded.
    check(cost.of(Kind::transcendental), 32 + 1, 1);
    check(cost.of(Kind::conversion), 16);
  }
  CHECK(main_loops == 1);
}
