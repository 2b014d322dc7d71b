#pragma once
// Two states of a wave that differ only where nobody wrote: what executing the same code on both makes
// different must be marked invalid by the check.

#include "tests/observe/shadowed_wave.hpp"

#include "tests/support/catch.hpp"
#include <random>

namespace fmha950::test {

// What the state is made of: patterns that make results depend on everything.
struct Generator {
  std::mt19937_64 random;
  uint32_t word() {
    static constexpr uint32_t plain[] = {0,          1,          0xFFFFFFFF, 0x80000000, 0x3F800000,
                                         0x7F800000, 0x00010001, 0x3C003C00, 0x7FFFFFFF, 5};
    switch (random() % 4) {
    case 0: return plain[random() % std::size(plain)];
    case 1: return static_cast<uint32_t>(random() % 40);
    default: return static_cast<uint32_t>(random());
    }
  }
  uint64_t lanes() {
    switch (random() % 4) {
    case 0: return 0;
    case 1: return ~uint64_t{0};
    case 2: return random() & random();
    default: return random();
    }
  }
};

constexpr int twin_vgprs = 112, twin_sgprs = 16;
constexpr uint32_t twin_accum_offset = 64; // a0 is v64
constexpr int other_sgprs[] = {106, 107};  // VCC

struct State { // of the machine
  std::vector<uint32_t> vgpr;
  uint32_t sgpr[128];
  bool scc;
  void save(OneWave& one) {
    vgpr.assign(one.wave().vgpr, one.wave().vgpr + twin_vgprs * 64);
    std::copy_n(one.wave().sgpr, 128, sgpr);
    scc = one.wave().scc;
  }
  void restore(OneWave& one) const {
    std::copy(vgpr.begin(), vgpr.end(), one.wave().vgpr);
    std::copy_n(sgpr, 128, one.wave().sgpr);
    one.wave().scc = scc;
  }
};

inline uint32_t byte_bits(unsigned bytes) {
  uint32_t bits = 0;
  for (unsigned b = 0; b < 4; ++b)
    if (bytes >> b & 1) bits |= 0xFFu << (8 * b);
  return bits;
}

// Fills the machine and the check with one random state; returns the machine's state with what nobody wrote
// filled in another way.
inline State randomise(ShadowedWave& w, Generator& g) {
  machine::Wave& wave = w.one.wave();
  State other;
  for (int i = 0; i < twin_vgprs * 64; ++i) wave.vgpr[i] = g.word();
  for (int i = 0; i < twin_sgprs; ++i) wave.sgpr[i] = g.word();
  for (int code : other_sgprs) wave.sgpr[code] = g.word();
  wave.scc = g.random() & 1;
  wave.set_exec(g.random() % 3 ? ~uint64_t{0} : g.random() | 1);
  other.save(w.one);
  const bool vectors = g.random() % 4 != 0;
  for (int r = 0; r < twin_vgprs; ++r) {
    observe::ByteLanes invalid{};
    if (vectors && g.random() % 2)
      for (uint64_t& lanes : invalid) lanes = g.lanes();
    w.registers().set_vgpr(r, invalid, 0);
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t bits = byte_bits(w.bytes(r, lane));
      uint32_t& value = other.vgpr[static_cast<size_t>(r * 64 + lane)];
      value = (value & ~bits) | (g.word() & bits);
    }
  }
  const auto scalar = [&](int code) {
    uint32_t invalid = 0;
    if (g.random() % 3 == 0) invalid = static_cast<uint32_t>(g.lanes());
    w.registers().set_sgpr(code, invalid, 0);
    other.sgpr[code] = (other.sgpr[code] & ~invalid) | (g.word() & invalid);
  };
  for (int code = 0; code < twin_sgprs; ++code) scalar(code);
  for (int code : other_sgprs) scalar(code);
  w.registers().set_sgpr(machine::code::scc, g.random() % 4 == 0, 0);
  if (w.registers().sgpr(machine::code::scc)) other.scc = g.random() & 1;
  w.registers().set_sgpr64(machine::code::exec, 0, 0);
  return other;
}

// "" or the first difference that is not marked.
inline std::string unmarked_difference(ShadowedWave& w, const State& a, const State& b) {
  for (int r = 0; r < twin_vgprs; ++r)
    for (int lane = 0; lane < 64; ++lane) {
      const size_t i = static_cast<size_t>(r * 64 + lane);
      const uint32_t differs = (a.vgpr[i] ^ b.vgpr[i]) & ~byte_bits(w.bytes(r, lane));
      if (differs) return "v" + std::to_string(r) + " lane " + std::to_string(lane);
    }
  for (int code = 0; code < 108; ++code)
    if ((a.sgpr[code] ^ b.sgpr[code]) & ~w.registers().sgpr(code)) return "s" + std::to_string(code);
  if (a.scc != b.scc && !(w.registers().sgpr(machine::code::scc) & 1)) return "scc";
  return "";
}

// What both runs find besides registers: LDS, and memory at v[108:109] (device addresses), v110 (LDS
// addresses), s[12:15] (its descriptor).
class TwinMemory {
 public:
  static constexpr uint32_t lane_bytes = 64, bytes = 64 * lane_bytes + 4096;
  TwinMemory() : pointer_(machine::AddressSpace::device().allocate(bytes)) {}
  ~TwinMemory() { machine::AddressSpace::device().release(pointer_); }
  TwinMemory(const TwinMemory&) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer_); }

  // The same for both: nobody wrote LDS and memory, but what they hold does not differ.
  void place(ShadowedWave& w, State& second) {
    const auto vector = [&](int r, int lane, uint32_t value) {
      w.one.lane(r, lane) = second.vgpr[static_cast<size_t>(r * 64 + lane)] = value;
    };
    const auto scalar = [&](int code, uint32_t value) {
      w.one.wave().sgpr[code] = second.sgpr[code] = value;
      w.registers().set_sgpr(code, 0, 0);
    };
    for (int lane = 0; lane < 64; ++lane) {
      const uint64_t at = address() + static_cast<uint64_t>(lane) * lane_bytes;
      vector(108, lane, static_cast<uint32_t>(at));
      vector(109, lane, static_cast<uint32_t>(at >> 32));
      vector(110, lane, static_cast<uint32_t>(lane) * lane_bytes);
      vector(111, lane, static_cast<uint32_t>(lane) * lane_bytes);
    }
    for (int r = 108; r < 112; ++r) w.set(r, 0);
    scalar(12, static_cast<uint32_t>(address()));
    scalar(13, static_cast<uint32_t>(address() >> 32));
    scalar(14, bytes);
    scalar(15, 0x00020000);
    scalar(machine::code::m0, 0);
    w.device.released(address());
    w.device.allocated(address(), address() + bytes);
    w.forget_memory();
    clear(w);
  }
  void clear(ShadowedWave& w) const {
    std::memset(pointer_, 0x5A, bytes);
    std::fill_n(w.one.lds().begin(), 32 * 1024, uint8_t{0x5A});
  }
  std::vector<uint8_t> contents() const {
    const auto* begin = static_cast<const uint8_t*>(pointer_);
    return {begin, begin + bytes};
  }

 private:
  void* pointer_;
};

// After a report (EXEC) the value counts as valid, so nothing can be said of such rounds.
inline void check_soundness(const std::string& text, int rounds, uint64_t seed,
                            TwinMemory* memory = nullptr) {
  ShadowedWave w({}, twin_accum_offset);
  const ShadowedWave::Code code(text, twin_accum_offset);
  Generator g{std::mt19937_64(seed)};
  machine::Wave& wave = w.one.wave();
  int compared = 0;
  for (int round = 0; round < rounds; ++round) {
    State second = randomise(w, g);
    if (memory) memory->place(w, second);
    if (text.find("_tr_b") != text.npos)
      wave.set_exec(~uint64_t{0}), second.sgpr[126] = second.sgpr[127] = ~0u;
    State result[2];
    std::vector<uint8_t> contents[2];
    w.hazards.all.clear();
    try {
      w.run(code);
      result[0].save(w.one);
      second.restore(w.one);
      if (memory) contents[0] = memory->contents(), memory->clear(w);
      machine::WorkgroupListener* const listener = std::exchange(wave.listener, nullptr);
      for (const auto& item : code.items) {
        wave.current = item.instruction;
        item.instruction->execute(wave, *item.instruction);
      }
      wave.listener = listener;
      result[1].save(w.one);
      if (memory) contents[1] = memory->contents();
    } catch (const machine::Fault&) {
      continue; // operands that the device refuses
    }
    if (!w.hazards.all.empty()) continue;
    ++compared;
    std::string where = unmarked_difference(w, result[0], result[1]);
    for (size_t i = 0; i < contents[0].size(); ++i)
      if (contents[0][i] != contents[1][i] &&
          !w.device.find(memory->address())->invalid(memory->address() + i, 1))
        where = "byte " + std::to_string(i) + " of memory";
    if (!where.empty()) FAIL_CHECK(text << ": " << where << " differs but counts as valid, round " << round);
    if (!where.empty()) return;
  }
  if (!compared) FAIL_CHECK(text << ": nothing was compared");
}

} // namespace fmha950::test
