// What random code does when it is executed, branches and masks of lanes with it: what the running check of registers in
// flight reports there is an error without running, too, although paths that contradict themselves are left out.
#include "emulator/program/row.hpp"
#include "emulator/static_check/hazards.hpp"
#include "tests/emulator/one_instruction.hpp"
#include "tests/static_check/watched_step.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <random>
#include <set>

using namespace fmha950;
using static_check::Code;

namespace {

constexpr uint32_t accum_offset = 128;
using Pairs =
    std::set<std::pair<uint64_t, uint64_t>>; // addresses: of the load, and of what touches its register

// Loads and their uses, waits, comparisons of few registers, and masks of lanes, each half of EXEC among them.
constexpr const char* kinds[] = {"global_load_dword v4, v[2:3], off",
                                 "global_load_dword v5, v[2:3], off",
                                 "ds_read_b32 v4, v9",
                                 "v_add_f32 v6, v4, v5",
                                 "v_mov_b32 v4, 0",
                                 "v_mov_b32_dpp v7, v5 row_shr:1 row_mask:0xf bank_mask:0xf",
                                 "s_waitcnt vmcnt(0)",
                                 "s_waitcnt vmcnt(1)",
                                 "s_waitcnt lgkmcnt(0)",
                                 "s_cmp_eq_u32 s6, 0",
                                 "s_cmp_lg_u32 s6, 0",
                                 "s_cmp_gt_i32 s7, s6",
                                 "s_add_i32 s6, s6, 1",
                                 "s_and_b64 vcc, exec, s[8:9]",
                                 "s_andn2_b64 vcc, exec, s[8:9]",
                                 "v_cmp_gt_u32 vcc, s7, v1",
                                 "s_and_saveexec_b64 s[10:11], s[8:9]",
                                 "s_and_saveexec_b64 s[10:11], vcc",
                                 "s_xor_b64 exec, exec, s[10:11]",
                                 "s_or_b64 exec, exec, s[10:11]",
                                 "s_mov_b64 exec, -1",
                                 "s_mov_b32 exec_lo, 0",
                                 "s_mov_b32 exec_hi, 0",
                                 "s_mov_b32 vcc_lo, 0",
                                 "s_mov_b32 s9, 0"};

std::vector<uint32_t> random_words(std::mt19937& random, size_t count) {
  static const auto pool = [] {
    std::vector<std::vector<uint32_t>> all;
    for (const char* kind : kinds) {
      const std::vector<uint8_t> bytes = test::assemble(kind);
      all.emplace_back(bytes.size() / 4);
      std::memcpy(all.back().data(), bytes.data(), bytes.size());
    }
    return all;
  }();
  constexpr uint32_t branches = 0xBF840000; // s_cbranch_scc0, then scc1, vccz, vccnz, execz, execnz
  std::vector<uint32_t> words;
  while (words.size() < count) {
    if (random() % 3 == 0) {
      words.push_back(branches + (random() % 6 << 16) + ((random() % 24 - 8) & 0xFFFF));
    } else {
      const auto& kind = pool[random() % pool.size()];
      words.insert(words.end(), kind.begin(), kind.end());
    }
  }
  return words;
}

Pairs without_running(const Code& code, static_check::Paths paths) {
  Pairs pairs;
  for (const auto& finding : static_check::find_hazards(code, code.steps(), paths))
    if (finding.kind == "register_in_flight")
      pairs.emplace(code.instruction(finding.earlier).address, code.instruction(finding.later).address);
  return pairs;
}

// Where the wave goes on; nothing is loaded.
size_t execute(machine::Wave& wave, const isa::Instruction& in, size_t at) {
  if (isa::memory_of(in).kind != isa::MemoryKind::none) return at + 1;
  wave.next = nullptr; // a branch may lead to itself
  in.execute(wave, in);
  return at + (wave.next == nullptr ? 1 : static_cast<size_t>(in.target));
}

// One wave's way from the beginning, with all of its lanes, and numbers of which some are equal.
void walk(const Code& code, std::mt19937& random, int steps, Pairs& met) {
  static test::OneWave bare({}, 512, accum_offset); // its lanes and numbers are set anew
  bare.wave().set_exec(~uint64_t{0});
  for (int sgpr = 4; sgpr < 12; ++sgpr) bare.sgpr(sgpr) = static_cast<uint32_t>(random() % 3) - 1;
  for (int lane = 0; lane < 64; ++lane) bare.lane(1, lane) = random() % 2;
  observe::InFlight in_flight;
  in_flight.start();
  test::CollectedHazards found;
  for (size_t at = 0; steps > 0 && at + 1 < code.size(); --steps) {
    test::watch_step(code, at, bare.wave(), in_flight, found);
    at = execute(bare.wave(), code.instruction(at), at);
  }
  for (const observe::Hazard& hazard : found.all) met.emplace(hazard.earlier.address, hazard.later.address);
}

} // namespace

TEST_CASE("static check: what random code does when it is executed is among its errors", "[unsanitized]") {
  std::mt19937 random(30);
  size_t on_all_paths = 0, possible = 0, seen = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<uint32_t> words = random_words(random, 50);
    const auto begin = reinterpret_cast<uint64_t>(words.data());
    isa::Program program;
    const Code code(program.decode(begin, begin + words.size() * 4, accum_offset), accum_offset,
                    Code::Kind::kernel);
    REQUIRE_FALSE(code.leaves());
    const Pairs errors = without_running(code, static_check::Paths::possible);
    Pairs met;
    for (int n = 0; n < 300; ++n) walk(code, random, 200, met);
    for (const auto& [earlier, later] : met) {
      CAPTURE(round, earlier - begin, later - begin);
      CHECK(errors.contains({earlier, later}));
    }
    on_all_paths += without_running(code, static_check::Paths::all).size();
    possible += errors.size();
    seen += met.size();
  }
  CAPTURE(on_all_paths, possible, seen);
  CHECK(seen > 700);
  CHECK(possible < on_all_paths);
}
