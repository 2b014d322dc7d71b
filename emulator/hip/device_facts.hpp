#pragma once
// Figures of the device: an MI355X (machine_gfx950.md sections 3 and 6.1).

#include "emulator/memory/address_space.hpp"
#include "numerics/target.hpp"

namespace fmha950::hip::facts {

constexpr const char* name = "AMD Instinct MI355X (embedded gfx950)";
constexpr char uuid[16] = {'f', 'm', 'h', 'a', '9', '5', '0', '-', 'e', 'm', 'b', 'e', 'd', 'd', 'e', 'd'};
constexpr const char* bus_id = "0000:00:00.0";
constexpr const char* architecture = target.architecture;
constexpr int wave = target.wave_lanes;
constexpr int clock_khz = static_cast<int>(target.hertz / 1000);
constexpr int timer_khz = 100000; // s_memrealtime: 100 MHz, section 1.2
constexpr int lds_bytes = static_cast<int>(target.lds_bytes_per_cu);
constexpr int l2_bytes = static_cast<int>(target.l2_bytes_per_chiplet);
constexpr int items_per_workgroup = target.waves_per_workgroup * wave,
              items_per_cu = target.waves_per_cu() * wave;
constexpr int registers_per_cu = target.simds_per_cu * static_cast<int>(target.vgprs_per_lane) * wave;
// 8 stacks HBM3E of 1024 bits; 8 TB/s over 8192 bits, DDR.
constexpr int memory_bus_bits = 8192, memory_khz = 2000000;
constexpr int pitch_limit = 0x7FFFFFFF;
// HIP 6.4: its pointer attributes and structures are what is answered.
constexpr int runtime_version = 60400000;

} // namespace fmha950::hip::facts
