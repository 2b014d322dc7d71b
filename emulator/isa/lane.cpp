// Moves, selections and exchanges between lanes (ISA guide 12; lane_dpp.cpp has DPP).

#include "emulator/isa/families.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using U = Lanes<u32>;

// Per lane, the bits of the lanes below it in the half of the wave that starts at first_lane.
template <int first_lane> struct LowerLanes {
  alignas(64) uint32_t bits[wave_lanes] = {};
  constexpr LowerLanes() {
    for (int l = first_lane + 1; l < wave_lanes; ++l)
      bits[l] = l - first_lane >= 32 ? ~0u : (1u << (l - first_lane)) - 1u;
  }
};
template <int first_lane> constexpr LowerLanes<first_lane> lower_lanes;
template <int first_lane> FMHA950_INLINE U count_below(U bits, U addend) {
  const U lower = load_lanes<u32>(lower_lanes<first_lane>.bits);
  return __builtin_elementwise_popcount(bits & lower) + addend;
}

// Lane `lane` of a source; scalar sources are the same in every lane.
uint32_t lane_of(const Wave& wave, const Source& source, unsigned lane) {
  if (source.kind == Source::Kind::vgpr) return wave.lanes(source.index)[lane];
  return static_cast<uint32_t>(scalar_bits(wave, source, false));
}

// Whatever EXEC is; with EXEC = 0 v_readfirstlane reads lane 0 (ISA guide, V_READFIRSTLANE_B32).
void readfirstlane(Wave& wave, const Instruction& in) {
  const uint64_t exec = wave.exec();
  wave.sgpr[in.dst] = lane_of(wave, in.src[0], exec ? static_cast<unsigned>(__builtin_ctzll(exec)) : 0);
}
void readlane(Wave& wave, const Instruction& in) {
  const uint64_t lane = scalar_bits(wave, in.src[1], false) % wave_lanes;
  wave.sgpr[in.dst] = lane_of(wave, in.src[0], static_cast<unsigned>(lane));
}
void writelane(Wave& wave, const Instruction& in) {
  const uint64_t lane = scalar_bits(wave, in.src[1], false) % wave_lanes;
  wave.lanes(in.dst)[lane] = static_cast<uint32_t>(scalar_bits(wave, in.src[0], false));
}

void swap(Wave& wave, const Instruction& in) {
  uint32_t *first = wave.lanes(in.dst), *second = wave.lanes(in.src[0].index);
  const U a = load_lanes<u32>(first), b = load_lanes<u32>(second);
  write_vgpr<u32>(first, b, wave.exec());
  write_vgpr<u32>(second, a, wave.exec());
}

// Rows of `size` lanes: the odd rows of the first operand change places with the even rows of the second
// (ISA guide, V_PERMLANE16_SWAP_B32). The guide's pseudo-code ignores EXEC; here an exchange happens where
// both of its lanes are active, a guess that agrees wherever EXEC is full. With DPP-like bits of the VOP3
// form (bound_ctrl, fi) nothing changes for full EXEC.
template <int size> void permlane_swap(Wave& wave, const Instruction& in) {
  uint32_t *first = wave.lanes(in.dst), *second = wave.lanes(in.src[0].index);
  const uint64_t exec = wave.exec();
  for (int lane = 0; lane < wave_lanes; ++lane) {
    if (lane & size) continue;
    if (!(exec >> lane & exec >> (lane + size) & 1)) continue;
    const uint32_t value = second[lane];
    second[lane] = first[lane + size];
    first[lane + size] = value;
  }
}

// v_nop; v_clrexcp too, since no floating-point exceptions are recorded that it could clear; and v_mfma_ld_scale_b32 where no
// scaled MFMA follows, whose prefix it is (mfma_gfx950.md section 3.4): scales live for one instruction only.
void nothing(Wave&, const Instruction&) {}

constexpr Row lanes(const char* mnemonic, ValuFlow flow, Execute execute) {
  return valu_row({mnemonic, execute}, whole_registers(ValuClass::plain, flow));
}
template <class T> constexpr Row move(const char* mnemonic) {
  return with_flow(ValuFlow::copy, valu<T(T)>(mnemonic, [](auto a) { return a; }));
}

constexpr Row table[] = {
    lanes("v_nop", ValuFlow::nothing, nothing),
    lanes("v_clrexcp", ValuFlow::nothing, nothing),
    lanes("v_mfma_ld_scale_b32", ValuFlow::nothing, nothing),
    move<b32>("v_mov_b32"),
    move<b64>("v_mov_b64"),
    move<u32>("v_accvgpr_read_b32"),
    move<u32>("v_accvgpr_write_b32"),
    move<u32>("v_accvgpr_mov_b32"),
    with_flow(
        ValuFlow::select,
        valu<b32(b32, b32, mask)>("v_cndmask_b32", [](U a, U b, uint64_t m) { return blend<u32>(a, b, m); })),
    by_bits(BitFunction::count_below_low,
            valu<u32(u32, u32)>("v_mbcnt_lo_u32_b32", [](U a, U b) { return count_below<0>(a, b); })),
    by_bits(BitFunction::count_below_high,
            valu<u32(u32, u32)>("v_mbcnt_hi_u32_b32", [](U a, U b) { return count_below<32>(a, b); })),
    lanes("v_readfirstlane_b32", ValuFlow::read_first_lane, readfirstlane),
    lanes("v_readlane_b32", ValuFlow::read_lane, readlane),
    lanes("v_writelane_b32", ValuFlow::write_lane, writelane),
    lanes("v_swap_b32", ValuFlow::swap, swap),
    lanes("v_permlane16_swap_b32", ValuFlow::swap_rows_16, permlane_swap<16>),
    lanes("v_permlane32_swap_b32", ValuFlow::swap_rows_32, permlane_swap<32>),
};

} // namespace

const Rows rows_lane = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
