// Lane operations against scalar models written from their definitions.
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <functional>
#include <optional>
#include <random>

using namespace fmha950;
using test::OneWave;

namespace {

constexpr uint64_t all = ~uint64_t{0};
uint32_t mark(int vgpr, int lane) {
  return 1000u * static_cast<uint32_t>(vgpr) + static_cast<uint32_t>(lane) + 7;
}

// v0..v7 hold mark(register, lane).
struct Marked : OneWave {
  Marked() {
    for (int v = 0; v < 8; ++v)
      for (int l = 0; l < 64; ++l) lane(v, l) = mark(v, l);
  }
};
std::vector<uint32_t> lanes(OneWave& w, int vgpr) { return {&w.lane(vgpr, 0), &w.lane(vgpr, 0) + 64}; }

using Reads = std::function<std::optional<int>(int lane)>; // the lane that `lane` reads

struct Dpp {
  std::string text;
  Reads reads;
};
std::optional<int> in_row(int lane, int position) {
  if (position < 0 || position > 15) return {};
  return lane / 16 * 16 + position;
}
std::vector<Dpp> dpp_controls() {
  std::vector<Dpp> controls = {
      {"quad_perm:[3,1,0,2]", [](int l) { return l / 4 * 4 + ("3102"[l % 4] - '0'); }},
      {"wave_shl:1", [](int l) { return l < 63 ? std::optional(l + 1) : std::nullopt; }},
      {"wave_rol:1", [](int l) { return (l + 1) % 64; }},
      {"wave_shr:1", [](int l) { return l > 0 ? std::optional(l - 1) : std::nullopt; }},
      {"wave_ror:1", [](int l) { return (l + 63) % 64; }},
      {"row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; }},
      {"row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
      {"row_bcast:15", [](int l) { return l >= 16 ? std::optional(l / 16 * 16 - 1) : std::nullopt; }},
      {"row_bcast:31", [](int l) { return l >= 32 ? std::optional(31) : std::nullopt; }},
  };
  for (int n = 1; n < 16; ++n) {
    const std::string amount = std::to_string(n);
    controls.push_back({"row_shl:" + amount, [n](int l) { return in_row(l, l % 16 + n); }});
    controls.push_back({"row_shr:" + amount, [n](int l) { return in_row(l, l % 16 - n); }});
    controls.push_back({"row_ror:" + amount, [n](int l) { return l / 16 * 16 + (l % 16 + 16 - n) % 16; }});
    controls.push_back({"row_newbcast:" + amount, [n](int l) { return l / 16 * 16 + n; }});
  }
  return controls;
}

} // namespace

TEST_CASE("DPP controls move lanes, masks, bounds and EXEC decide who is written") {
  std::mt19937_64 engine(950);
  for (const Dpp& control : dpp_controls())
    for (const bool bound_ctrl : {false, true})
      for (int round = 0; round < 4; ++round) {
        const uint64_t exec = round ? engine() : all;
        const int row_mask = round > 1 ? static_cast<int>(engine() % 16) : 15;
        const int bank_mask = round > 2 ? static_cast<int>(engine() % 16) : 15;
        Marked w;
        w.wave().set_exec(exec);
        w.run("v_mov_b32_dpp v1, v0 " + control.text + " row_mask:" + std::to_string(row_mask) +
              " bank_mask:" + std::to_string(bank_mask) + (bound_ctrl ? " bound_ctrl:1" : ""));
        std::vector<uint32_t> expected;
        for (int l = 0; l < 64; ++l) {
          const bool enabled =
              (exec >> l & 1) && (row_mask >> (l / 16) & 1) && (bank_mask >> (l / 4 % 4) & 1);
          const auto from = control.reads(l);
          const bool valid = from && (exec >> *from & 1);
          const uint32_t value = valid ? mark(0, *from) : 0;
          expected.push_back(enabled && (valid || bound_ctrl) ? value : mark(1, l));
        }
        INFO(control.text << " bound_ctrl " << bound_ctrl << " round " << round);
        REQUIRE(lanes(w, 1) == expected);
      }
}

TEST_CASE("DPP feeds arithmetic, compares and carries") {
  Marked w;
  w.run("v_add_u32_dpp v2, v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1");
  w.run("v_sub_f32_dpp v3, -v0, |v1| quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
  for (int l = 0; l < 64; ++l) {
    CHECK(w.lane(2, l) == (l % 16 ? mark(0, l - 1) : 0) + mark(1, l));
    const float a = std::bit_cast<float>(mark(0, l ^ 1)), b = std::bit_cast<float>(mark(1, l));
    CHECK(std::bit_cast<float>(w.lane(3, l)) == -a - b);
  }
  // Lanes that DPP disables count as inactive in the carry mask.
  Marked c;
  for (int l = 0; l < 64; ++l) c.lane(0, l) = c.lane(1, l) = 0x80000000;
  c.run("v_add_co_u32_dpp v2, vcc, v0, v1 row_shr:1 row_mask:0x5 bank_mask:0xf");
  CHECK(c.wave().vcc() == 0x0000FFFE0000FFFE);
}

TEST_CASE("64-bit DPP moves register pairs") {
  Marked w;
  w.run("v_mov_b64_dpp v[4:5], v[0:1] row_newbcast:3 row_mask:0xf bank_mask:0xf");
  for (int l = 0; l < 64; ++l) {
    CHECK(w.lane(4, l) == mark(0, l / 16 * 16 + 3));
    CHECK(w.lane(5, l) == mark(1, l / 16 * 16 + 3));
  }
}

TEST_CASE("SDWA selects, extends and places bytes and words") {
  OneWave w;
  const auto run = [&](uint32_t a, uint32_t b, uint32_t before, const std::string& text) {
    w.lane(0, 5) = a;
    w.lane(1, 5) = b;
    w.lane(2, 5) = before;
    w.run(text);
    return w.lane(2, 5);
  };
  const std::string add = "v_add_u32_sdwa v2, v0, v1 ";
  CHECK(run(0x11223344, 0x100, 9,
            add + "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_0") == 0x122);
  CHECK(run(0x11F23344, 0x100, 9,
            add + "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_0") == 0x111);
  CHECK(run(0x1122F344, 0, 9, add + "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD") ==
        0xF344);
  CHECK(run(0x1122F344, 0, 9,
            "v_add_u32_sdwa v2, sext(v0), v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 "
            "src1_sel:DWORD") == 0xFFFFF344);
  CHECK(run(0x77, 0x0, 0x11223344,
            add + "dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:DWORD") == 0x11227744);
  CHECK(run(0x77, 0x0, 0x11223344,
            add + "dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD") == 0x7700);
  CHECK(run(0x97, 0x0, 0x11223344,
            add + "dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:DWORD") == 0xFFFF9700);
  CHECK(run(0x1234, 0x1, 0x11223344,
            add + "dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:DWORD") == 0x12353344);
  // neg and abs act on the selected half.
  CHECK(run(0xBC003C00, 0x3C00, 0,
            "v_add_f16_sdwa v2, |v0|, -v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 "
            "src1_sel:WORD_0") == 0);
}

TEST_CASE("lanes are read and written one at a time") {
  Marked w;
  w.wave().set_exec(0xFF00);
  w.run("v_readfirstlane_b32 s4, v3");
  CHECK(w.sgpr(4) == mark(3, 8));
  w.wave().set_exec(0);
  w.run("v_readfirstlane_b32 s4, v3");
  CHECK(w.sgpr(4) == mark(3, 0));
  w.sgpr(5) = 64 + 17; // the lane number wraps
  w.run("v_readlane_b32 s6, v2, s5\n v_readlane_b32 s7, v2, 63");
  CHECK(w.sgpr(6) == mark(2, 17));
  CHECK(w.sgpr(7) == mark(2, 63));
  w.run("v_writelane_b32 v1, s4, 9"); // whatever EXEC is
  for (int l = 0; l < 64; ++l) CHECK(w.lane(1, l) == (l == 9 ? mark(3, 0) : mark(1, l)));
}

TEST_CASE("rows of 16 and halves of 32 lanes change places") {
  for (const int size : {16, 32}) {
    Marked w;
    w.run("v_permlane" + std::to_string(size) + "_swap_b32 v0, v1");
    for (int l = 0; l < 64; ++l) {
      // Odd rows of v0 change places with the even rows of v1 below them.
      const bool odd = l & size;
      CHECK(w.lane(0, l) == (odd ? mark(1, l - size) : mark(0, l)));
      CHECK(w.lane(1, l) == (odd ? mark(1, l) : mark(0, l + size)));
    }
  }
}

TEST_CASE("moves, swaps and selections respect EXEC") {
  std::mt19937_64 engine(3);
  Marked w;
  const uint64_t exec = engine(), condition = engine();
  w.wave().set_exec(exec);
  w.wave().set_sgpr64(20, condition);
  w.run("v_swap_b32 v0, v1\n v_cndmask_b32_e64 v4, v2, -v3, s[20:21]\n v_accvgpr_write_b32 a5, v6\n"
        "v_accvgpr_read_b32 v7, a5");
  for (int l = 0; l < 64; ++l) {
    const bool active = exec >> l & 1, chosen = condition >> l & 1;
    CHECK(w.lane(0, l) == mark(active ? 1 : 0, l));
    CHECK(w.lane(1, l) == mark(active ? 0 : 1, l));
    CHECK(w.lane(4, l) == (active ? (chosen ? mark(3, l) ^ 0x80000000 : mark(2, l)) : mark(4, l)));
    CHECK(w.lane(7, l) == (active ? mark(6, l) : mark(7, l)));
  }
}

TEST_CASE("mbcnt counts the mask's lanes below") {
  std::mt19937_64 engine(4);
  Marked w;
  const uint64_t mask = engine();
  w.wave().set_sgpr64(20, mask);
  w.run("v_mbcnt_lo_u32_b32 v2, s20, 0\n v_mbcnt_hi_u32_b32 v2, s21, v2");
  for (int l = 0; l < 64; ++l)
    CHECK(w.lane(2, l) == static_cast<uint32_t>(__builtin_popcountll(mask & ((uint64_t{1} << l) - 1))));
}

TEST_CASE("compares give 0 for inactive lanes, cmpx writes EXEC too") {
  Marked w;
  w.wave().set_exec(0x00FFFF00);
  w.run("v_cmp_lt_u32_e64 s[20:21], v0, v1"); // every mark of v1 is larger
  CHECK(w.wave().sgpr64(20) == 0x00FFFF00);
  w.sgpr(30) = mark(0, 12);
  w.run("v_cmpx_ge_u32_e64 s[22:23], s30, v0");
  CHECK(w.wave().sgpr64(22) == 0x1F00);
  CHECK(w.wave().exec() == 0x1F00);
}
