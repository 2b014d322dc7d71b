#include "emulator/observe/wait_states/wait_state_rules.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

struct States { // by passes of the first instruction: 2, 4, 8, 16
  uint8_t by_passes[4];
  constexpr States(int all) : by_passes{} {
    for (uint8_t& states : by_passes) states = static_cast<uint8_t>(all);
  }
  constexpr States(uint8_t p2, uint8_t p4, uint8_t p8, uint8_t p16) : by_passes{p2, p4, p8, p16} {}
};

struct Rule {
  uint32_t effects, accesses;
  States states;
  const char* reason;
};

// H1 to H24 are the rows of machine_gfx950.md section 2. Where the ISA guide's tables 11 and 38 ask for more
// than clang 22 inserts, its own output would be reported; such rows follow clang and say so.
//
// Rows without an entry: H20 (VCC under two names, 1 state) is within H6, and so is H8 (EXEC as a constant).
// H21 (soft clauses) exists only with XNACK on; the device is xnack- and refuses code objects for xnack+.
constexpr Rule rules[] = {
    {effect::valu_scalar, access::memory_scalar, 5, "SGPR from the VALU to a memory instruction"}, // H1
    {effect::valu_scalar, access::lane_select, 4, "lane select"},                                  // H2
    {effect::valu_scalar, access::div_fmas, 4, "VCC of v_div_fmas"},                               // H3
    {effect::valu_scalar, access::exec_of_dpp, 5, "EXEC from the VALU to DPP"},                    // H4
    {effect::valu | effect::dot, access::dpp, 2, "DPP operand"},                                   // H5
    // As a mask of lanes (carry-in, v_cndmask) the guide says 0; clang pads 2, which then nobody needs.
    {effect::valu_scalar, access::constant, 2, "SGPR from the VALU as a constant"},      // H6, H8, H20
    {effect::valu_scalar, access::exec_of_lane, 4, "EXEC from the VALU to a lane read"}, // H7
    {effect::valu_scalar, access::zero_flag, 5, "VCCZ or EXECZ as data"},                // H9
    {effect::valu | effect::dot, access::lane_read, 1, "lane read"},                     // H10
    // GIN claims that 3 to 4 are needed; the guide and clang say 1.
    {effect::trans, access::non_trans_read, 1, "result of a transcendental"}, // H11
    // Writers that are not VALU are loads: 1 in the guide, but clang puts a load right behind such a store.
    {effect::stores, access::valu_write | access::matrix_write, 2, "data of a wide store"}, // H12
    {effect::stores_at_sgpr, access::valu_write | access::matrix_write, 1,
     "data of a wide buffer store with an SGPR as soffset"}, // LLVM #197267, measured on gfx950 (errata.md)
    {effect::partial, access::valu_read | access::valu_write, 1, "part of a register was written"}, // H13
    {effect::valu | effect::dot, access::permlane, 2, "permlane operand"},                          // H14
    {effect::valu_scalar, access::exec_of_permlane, 4, "EXEC from the VALU to permlane"},           // H15
    {effect::salu, access::m0, 1, "M0 from the SALU"},                                              // H16
    {effect::setreg, access::getreg | access::setreg, 2, "hardware register"},                      // H17
    {effect::setvskip, access::getreg, 2, "MODE after s_setvskip"},                                 // H18
    {effect::setreg, access::vskip, 2, "vector instruction after MODE.vskip"},                      // H18
    {effect::setreg, access::rfe, 1, "TRAPSTS before s_rfe"},                                       // H19
    {effect::valu, access::a_b | access::c_of_xdl | access::c_of_sd, 2, "MFMA operand"},            // H22
    {effect::valu_scalar, access::exec_of_mfma, 4, "EXEC from the VALU to MFMA"},                   // H23
    // An MFMA reading it is "any other opcode" in the guide; clang inserts nothing there.
    {effect::dot, access::valu_read | access::valu_write | access::memory_read | access::load_write, 3,
     "result of v_dot"}, // H24

    // MFMA results. The guide wants equal passes for the accumulate chain; clang looks at registers only.
    {effect::xdl, access::same_c_of_xdl | access::same_c_of_sd, {2, 0, 0, 0}, "MFMA accumulating"},
    {effect::xdl, access::c_of_xdl, {4, 6, 10, 18}, "MFMA result overlapping matrix C"},
    {effect::xdl, access::c_of_sd, {3, 6, 10, 18}, "MFMA result overlapping matrix C"},
    {effect::xdl, access::a_b, {5, 8, 12, 20}, "MFMA result as matrix A or B"},
    {effect::xdl,
     access::valu_read | access::valu_write | access::memory_read,
     {5, 8, 12, 20},
     "MFMA result"},
    {effect::sgemm, access::same_c_of_sd, {2, 0, 0, 0}, "MFMA accumulating"},
    {effect::sgemm, access::c_of_sd, {2, 4, 8, 16}, "MFMA result overlapping matrix C"},
    {effect::sgemm, access::a_b, {4, 6, 10, 18}, "MFMA result as matrix A or B"},
    {effect::sgemm,
     access::valu_read | access::valu_write | access::memory_read,
     {4, 6, 10, 18},
     "MFMA result"},
    {effect::dgemm_16, access::c_of_sd, 17, "MFMA result overlapping matrix C"},
    {effect::dgemm_16, access::a_b, 19, "MFMA result as matrix A or B"},
    {effect::dgemm_16, access::valu_read, 19, "MFMA result"},
    {effect::dgemm_16, access::valu_write, 11, "MFMA result"}, // the guide says 19
    {effect::dgemm_16, access::memory_read, 18, "MFMA result"},
    {effect::dgemm_4, access::c_of_sd | access::same_c_of_sd, 4, "MFMA result as matrix C"},
    {effect::dgemm_4, access::a_b, 6, "MFMA result as matrix A or B"},
    {effect::dgemm_4, access::valu_read | access::valu_write, 6, "MFMA result"},
    {effect::dgemm_4, access::memory_read, 9, "MFMA result"},
    {effect::any_dgemm, access::fma_f64, 2, "v_fma_f64 after f64 MFMA"},
    {effect::xdl_reads_c, access::valu_write, {1, 3, 7, 15}, "matrix C still being read"},
};

constexpr int column_of(int passes) {
  return passes ? std::countr_zero(static_cast<unsigned>(passes)) - 1 : 0;
}

constexpr int longest(uint32_t effects, uint32_t accesses) {
  int states = 0;
  for (const Rule& rule : rules)
    if (rule.effects & effects && rule.accesses & accesses)
      for (int candidate : rule.states.by_passes) states = std::max(states, candidate);
  return states;
}
static_assert(longest(~0u, ~0u) == longest_of_all);
static_assert(longest(effect::valu | effect::dot, access::looks_back) == longest_after_valu);

} // namespace

Requirement required_states(uint32_t effects, int passes, uint32_t accesses) {
  Requirement most;
  for (const Rule& rule : rules) {
    const int states = rule.states.by_passes[column_of(passes)];
    if (rule.effects & effects && rule.accesses & accesses && states > most.states)
      most = {states, rule.reason, states};
  }
  return most;
}

int longest_requirement(uint32_t effects, int passes) {
  return required_states(effects, passes, ~access::looks_back).states;
}

} // namespace fmha950::observe
