#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/program/control_role.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <string>

using namespace fmha950::isa;

namespace {

constexpr Row without[] = {{"s_branch", nullptr}};
static_assert(!all_control(without));

ControlRole role_by_name(const std::string& name) {
  static const std::map<std::string, ControlRole> roles = {
      {"s_branch", ControlRole::branch},
      {"s_setpc_b64", ControlRole::jump},
      {"s_swappc_b64", ControlRole::call},
      {"s_call_b64", ControlRole::call_relative},
      {"s_endpgm", ControlRole::end},
      {"s_endpgm_saved", ControlRole::end},
      {"s_endpgm_ordered_ps_done", ControlRole::end},
      {"s_cbranch_g_fork", ControlRole::fork},
      {"s_cbranch_i_fork", ControlRole::fork},
      {"s_cbranch_join", ControlRole::fork},
      {"s_waitcnt", ControlRole::waitcnt},
      {"s_barrier", ControlRole::barrier},
      {"s_nop", ControlRole::nop},
      {"s_sleep", ControlRole::sleep},
      {"s_setprio", ControlRole::set_priority},
      {"s_getreg_b32", ControlRole::get_register},
      {"s_setreg_b32", ControlRole::set_register},
      {"s_setreg_imm32_b32", ControlRole::set_register},
      {"s_setvskip", ControlRole::set_vskip},
      {"s_set_gpr_idx_on", ControlRole::index_on},
      {"s_set_gpr_idx_off", ControlRole::index_off},
      {"s_set_gpr_idx_idx", ControlRole::index_change},
      {"s_set_gpr_idx_mode", ControlRole::index_change},
      {"s_rfe_b64", ControlRole::return_from_trap},
      {"s_rfe_restore_b64", ControlRole::return_from_trap},
  };
  if (const auto found = roles.find(name); found != roles.end()) return found->second;
  return name.starts_with("s_cbranch_") ? ControlRole::branch_if : ControlRole::none;
}

} // namespace

TEST_CASE("rows of program control say what their names say, and no others say anything") {
  int control_rows = 0, not_executed = 0;
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      INFO(row.mnemonic);
      const bool of_control = family.name == std::string("control");
      control_rows += of_control;
      not_executed += !row.execute;
      CHECK((of_control || row.execute)); // other rows are there to be executed
      CHECK((row.control != ControlRole::unsaid) == of_control);
      const ControlRole expected = role_by_name(row.mnemonic);
      CHECK((of_control ? row.control : ControlRole::none) == expected);
    }
  CHECK(control_rows == 46);
  CHECK(not_executed == 0);
}
