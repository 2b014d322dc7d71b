#include "emulator/machine/placement.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "numerics/target.hpp"

namespace fmha950::machine {
namespace {

constexpr uint32_t chiplets = target.chiplets, simds = target.simds_per_cu, slots = target.waves_per_simd;
constexpr uint32_t engines = 4, cus_of_engine = target.cus_per_chiplet / engines; // a guess (placement.hpp)
static_assert(engines * cus_of_engine == static_cast<uint32_t>(target.cus_per_chiplet));
// The fields of HW_ID (machine_gfx950.md section 1.3) hold each number.
static_assert(slots <= 16 && simds <= 4 && cus_of_engine <= 16 && engines <= 8);

bool is_random(const Schedule& schedule) {
  return schedule.memory == MemoryOrder::random || schedule.memory == MemoryOrder::pct ||
         schedule.waves == WaveOrder::random || schedule.waves == WaveOrder::pct;
}

} // namespace

Placement placement_of(const Wave& wave) {
  const Launch& launch = *wave.workgroup->launch;
  const Schedule& schedule = launch.options.schedule;
  const auto index = static_cast<uint32_t>(wave.index);
  const uint64_t workgroup = wave.workgroup->linear_id;
  uint32_t first_chiplet = 0, first_cu = 0, first_simd = 0, first_slot = 0, tag = 0;
  if (is_random(schedule)) {
    const uint64_t seed = schedule.memory_seed * 0x9E3779B97F4A7C15ull +
                          schedule.wave_seed * 0xD1B54A32D192ED03ull + launch.number * 7919;
    Random of_launch(seed), of_workgroup(seed ^ ~workgroup * 104729);
    first_chiplet = of_launch.below(chiplets);
    first_cu = of_launch.below(engines * cus_of_engine);
    first_simd = of_workgroup.below(simds);
    first_slot = of_workgroup.below(slots);
    tag = of_workgroup.below(16);
  }
  const auto cu = static_cast<uint32_t>((workgroup / chiplets + first_cu) % (engines * cus_of_engine));
  const uint32_t slot = (index / simds + first_slot) % slots, simd = (index + first_simd) % simds;
  Placement placement;
  placement.hw_id = slot | simd << 4 | cu % cus_of_engine << 8 | cu / cus_of_engine << 13 | tag << 16;
  placement.xcc_id = static_cast<uint32_t>((workgroup + first_chiplet) % chiplets);
  return placement;
}

} // namespace fmha950::machine
