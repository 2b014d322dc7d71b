// What polls a flag in LDS, and what only looks like it.
#include "emulator/observe/order/polling.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"

#include <fmt/format.h>

using namespace fmha950;

namespace {

std::vector<size_t> polls(const std::string& text) {
  const test::Code code(text);
  std::vector<isa::Uses> uses;
  for (const isa::Instruction& in : code.instructions()) uses.push_back(isa::uses_of(in, 256));
  return observe::polling_instructions(code.instructions(), uses);
}

// A loop that reads v1 at v0, with `more` of so many dwords in it, and ends when the flag is set.
std::string loop(const std::string& more = "", int dwords = 0) {
  return fmt::format(
      "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n{}v_cmp_eq_u32 vcc, 0, v1\ns_cbranch_vccnz {}\n", more,
      65536 - 5 - dwords);
}

} // namespace

TEST_CASE("polling: a loop that ends by what it reads", "[lds_order]") {
  CHECK(polls(loop()) == std::vector<size_t>{0});
  CHECK(polls(loop("s_sleep 1\n", 1)) == std::vector<size_t>{0});
  CHECK(polls(loop("v_readfirstlane_b32 s4, v1\n", 1)) == std::vector<size_t>{0});
  // Lanes leave one by one.
  CHECK(
      polls(
          "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nv_cmp_ne_u32 vcc, 0, v1\ns_or_b64 s[4:5], vcc, s[4:5]\n"
          "s_andn2_b64 exec, exec, s[4:5]\ns_cbranch_execnz 65529\n") == std::vector<size_t>{0});
  CHECK(polls("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nv_cmp_ne_u32 vcc, 0, v1\ns_cbranch_vccnz 1\n"
              "s_branch 65530\n") == std::vector<size_t>{0});
  CHECK(polls("ds_cmpst_rtn_b32 v1, v0, v2, v3\ns_waitcnt lgkmcnt(0)\nv_cmp_ne_u32 vcc, 0, v1\n"
              "s_cbranch_vccnz 65531\n") == std::vector<size_t>{0});
}

TEST_CASE("polling: a first look before the loop", "[lds_order]") {
  const std::string look = "ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nv_cmp_ne_u32 vcc, 0, v1\n";
  CHECK(polls(look + "s_cbranch_vccnz 5\n" + loop()) == std::vector<size_t>{4, 0});
  // By something else:
  CHECK(polls(look + "s_cbranch_scc1 5\n" + loop()) == std::vector<size_t>{4});
  CHECK(polls(look + "ds_write_b32 v4, v5\n" + loop()) == std::vector<size_t>{4});
  CHECK(polls(look + "v_mov_b32 v0, v5\n" + loop()) == std::vector<size_t>{4});
}

TEST_CASE("polling: what looks like it", "[lds_order]") {
  CHECK(polls("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 0, v1\n").empty()); // once
  CHECK(polls(loop("v_mov_b32 v0, v1\n", 1)).empty()); // a list is walked
  CHECK(polls(loop("ds_write_b32 v2, v3\n", 2)).empty());
  CHECK(polls(loop("ds_add_u32 v2, v3\n", 2)).empty());
  CHECK(polls(loop("global_store_dword v[2:3], v4, off\n", 2)).empty());
  CHECK(polls(loop("s_barrier\n", 1)).empty());
  CHECK(polls(loop("v_mov_b32 v1, 0\n", 1)).empty());  // the value is lost
  CHECK(polls(loop("s_cbranch_scc1 2\n", 1)).empty()); // another way out
  CHECK(
      polls("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_cmp_lt_u32 s4, s5\ns_cbranch_scc1 65531\n").empty());
  CHECK(polls("ds_read_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_branch 65532\n").empty()); // no way out
  CHECK(polls("ds_add_u32 v0, v1\nv_cmp_eq_u32 vcc, 0, v1\ns_cbranch_vccnz 65532\n")
            .empty()); // returns nothing
}
