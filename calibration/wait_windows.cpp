#include "calibration/wait_windows.hpp"

#include "interface/error.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>

namespace fmha950::calibration {
namespace {

constexpr size_t wave_lanes = target.wave_lanes;

// H1 to H24, and the table of MFMA results by passes (machine_gfx950.md section 2).
constexpr WaitWindow rows[] = {
    {"mfma16_valu", "MFMA of 4 passes, VALU reads its result", 8},
    {"mfma32_valu", "MFMA of 8 passes, VALU reads its result", 12},
    {"f8f6f4_valu", "f8f6f4 MFMA of 8 passes, VALU reads its result", 12},
    {"mfma16_a", "MFMA of 4 passes, another has its result as A", 8},
    {"mfma16_c", "MFMA of 4 passes, another's C has half of its result", 6},
    {"mfma32_overwritten", "MFMA of 8 passes, VALU overwrites its result", 12},
    {"valu_mfma", "VALU writes, MFMA reads (H22)", 2},
    {"exp_valu", "v_exp_f32, VALU reads its result (H11)", 1},
    {"valu_readlane", "VALU writes, v_readfirstlane reads (H10)", 1},
    {"sgpr_constant", "v_readfirstlane writes an SGPR, VALU reads it (H6)", 2},
    {"lane_select", "v_readfirstlane writes an SGPR, v_readlane's lane is in it (H2)", 4},
    {"vcc_div_fmas", "VALU writes VCC, v_div_fmas reads it (H3)", 4},
    {"dpp", "VALU writes, DPP reads (H5)", 2},
    {"permlane", "VALU writes, v_permlane32_swap reads (H14)", 2},
};

} // namespace

std::span<const WaitWindow> wait_windows() { return rows; }

WindowRun::WindowRun(const WaitWindow& window)
    : function_(hip::load_kernel("calibration_wait_windows", fmt::format("window_{}", window.name))),
      output_(wave_lanes * sizeof(uint32_t)) {}

std::vector<uint32_t> WindowRun::lanes(uint32_t states) const {
  if (states > window_states)
    throw InvalidInput("states", std::to_string(states), fmt::format("must be at most {}", window_states));
  const WindowArguments arguments{output_.as<uint32_t>(), states};
  hip::launch(function_, {1}, {wave_lanes}, &arguments, sizeof arguments, nullptr);
  std::vector<uint32_t> lanes(wave_lanes);
  output_.download(lanes.data(), output_.bytes());
  return lanes;
}

} // namespace fmha950::calibration
