#pragma once
// Figures of the device: an MI355X (machine_gfx950.md sections 3 and 6.1, device_facts.csv).

#include "emulator/machine/workgroup.hpp"
#include "emulator/memory/address_space.hpp"

namespace fmha950::hip::facts {

constexpr const char* name = "AMD Instinct MI355X (embedded gfx950)";
constexpr const char* architecture = "gfx950:sramecc+:xnack-";
constexpr int major = 9, minor = 5;
constexpr int compute_units = 256, wave = 64, xccs = 8;
constexpr int clock_khz = 2400000, timer_khz = 100000; // s_memrealtime: 100 MHz, section 1.2
constexpr int lds_bytes = static_cast<int>(machine::lds_bytes_per_cu);
constexpr int l2_bytes = 4 << 20;                          // per XCD
constexpr int items_per_group = 1024, items_per_cu = 2048; // 32 waves per CU, section 6.5
constexpr int registers_per_cu = 4 * 512 * 64;
// 8 stacks HBM3E of 1024 bits; 8 TB/s over 8192 bits, DDR.
constexpr int memory_bus_bits = 8192, memory_khz = 2000000;
constexpr int pitch_limit = 0x7FFFFFFF;
// HIP 6.4: its pointer attributes and structures are what is answered.
constexpr int runtime_version = 60400000;

} // namespace fmha950::hip::facts
