#pragma once
// The constants of the cycle model that are no rates of a unit (those: rates.hpp). Sections are those of
// machine_gfx950.md, marks as there; "guess" where nothing is public. None is fitted on attention;
// that of MALL is argued from what AMD's V2 waits for.

#include "numerics/target.hpp"

#include <cstdint>

namespace fmha950::timing {

inline constexpr int chiplets = target.chiplets, cus_per_chiplet = target.cus_per_chiplet; // 6.1 [D]
inline constexpr double nominal_hertz = target.hertz;                                      // 6.1: MI355X [D]

// Clocks from the issue of an instruction to the first one that may read its result.
// 6.3: dependent f32 FMA of one wave, 4 clocks of the VALU and a gap [M];
// longer by what others take there (guess).
inline constexpr int valu_result_clocks = 8;
inline constexpr int salu_result_clocks = 4; // 6.3: one per 4 clocks and wave [D]
inline constexpr int lds_latency = 64; // 3.3: a dependent gather takes 69, 4 of them issue, 1 the phase [M]
inline constexpr int branch_taken_clocks = 16; // guess: 4 issue slots until the target comes from the cache
inline constexpr int barrier_clocks = 8;       // from the last arrival on: guess
inline constexpr int sleep_clocks = 64;        // 1.2: of each unit of s_sleep [D]

// Clocks from a request to its data when nothing queues. 6.4: placeholders from MI300X [R/I], HBM measured on
// MI350X as 360 ns [M]. MALL: a paper's cost model (arXiv 2511.08083) has up to 300 ns for a miss of L2 [M]; 793 to 904
// clocks would be what AMD's V2 waits for (docs/timing.md#what-waits-for-memory).
inline constexpr int l1_latency = 125;
inline constexpr int l2_latency = 275;
inline constexpr int mall_latency = 720;
inline constexpr int hbm_latency = 864;          // 360 ns at 2.4 GHz
inline constexpr int scalar_cache_latency = 41;  // 1.2: that of s_memtime, older gfx9 [M]; of a load: guess
inline constexpr int store_latency = l2_latency; // 1.1: a store is acknowledged by L2 [D]

inline constexpr uint32_t line_bytes = 128;                       // 6.1 [D]
inline constexpr uint32_t scalar_line_bytes = 64;                 // guess
inline constexpr uint32_t l1_bytes = 32 << 10;                    // 6.1 [D]
inline constexpr uint32_t scalar_cache_bytes = 16 << 10;          // 6.1, of two CUs [D]
inline constexpr uint32_t l2_bytes = target.l2_bytes_per_chiplet; // 6.1 [D]
inline constexpr uint64_t mall_bytes = 256 << 20;                 // 6.1 [D]
inline constexpr uint32_t instruction_cache_bytes = 64 << 10;     // 6.1, of two CUs [D]
// Behind a kernel's code clang lays 16 lines of 64 bytes for fetch to run into (toolchain.md [C]). That fetch is always so
// far ahead is a guess, and so is that each clock can ask L2 for a line.
inline constexpr uint32_t instruction_line_bytes = 64;
inline constexpr uint64_t instruction_lines_ahead = 16;
inline constexpr double instruction_fill_clocks = 1;
inline constexpr uint32_t instruction_fetch_bytes = 32;  // a clock: half of the 64 of two CUs (6.1 [D])
inline constexpr uint64_t instruction_buffer_blocks = 4; // of such, ahead of a wave: guess
inline constexpr int instruction_cache_ways = 8;         // guess
inline constexpr int l1_ways = 64, scalar_cache_ways = 4, l2_ways = 16; // guess

// With assumption `tlb`: a CU's translations, of pages as the driver makes them in VRAM, and what one that is not there costs.
// Nothing is published of either (guess); the chiplet's second level has all.
inline constexpr uint64_t translated_page_bytes = 64 << 10;
inline constexpr int translations_of_a_cu = 32, translation_ways = 32;
inline constexpr int translation_latency = l2_latency;

// Rates in bytes per clock at 2.4 GHz: of a channel of a chiplet's L2, of all of MALL and HBM.
inline constexpr int l2_channel_count = 16; // 6.1 [S]
inline constexpr double l2_channel_bytes_per_clock = 128;
inline constexpr double mall_bytes_per_clock = 17.2e12 / nominal_hertz; // 6.4: 17.2 TB/s class [D, secondary]
inline constexpr double hbm_bytes_per_clock = 7.0e12 / nominal_hertz;   // 6.4: 6.6 to 7.4 TB/s reached [M]
// Of HBM, each with its part of MALL: 8 stacks (6.1 [D]) of 16 channels (JEDEC JESD238, HBM3). A chiplet has an eighth of
// what all of them carry, and of each all that it can.
inline constexpr int memory_channel_count = 8 * 16;
// With assumption `apart`: over which part of a workgroup's time the places of a chiplet begin. Over many rounds nothing keeps
// them together; between 0.03 and 0.12 the hits of L2 under two orders are near those that were counted on a MI355X
// (clock_and_calibration.md, point 7; fit).
inline constexpr double starts_apart = 1.0 / 16;
// Rate of a CU: its share of the channels, as on CDNA3 (guess).
inline constexpr double l2_port_bytes_per_clock = 64;

// Vector memory instructions that wait between their issue and the address unit, in clocks of it: guess.
inline constexpr int vmem_queue_clocks = 64;

inline constexpr double dispatch_seconds = 1.6e-6; // 6.5: 1.3 to 2.0 us [M]
inline constexpr int workgroup_start_clocks = 128; // from a free place to the first instruction: guess

} // namespace fmha950::timing
