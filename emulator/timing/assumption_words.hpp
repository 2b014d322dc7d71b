#pragma once
// The words by which a user asks for assumptions: of the device's option timing and of `--assume`.

#include "emulator/timing/model/assumptions.hpp"

#include <array>
#include <string_view>

namespace fmha950::timing {

struct AssumptionWord {
  std::string_view word;
  void (*assume)(Assumptions&);
};
inline constexpr std::array<AssumptionWord, 14> assumption_words = {
    {{"cold", [](Assumptions& assumptions) { assumptions.warm = false; }},
     {"lds128", [](Assumptions& assumptions) { assumptions.lds_reads_128 = true; }},
     {"exp16", [](Assumptions& assumptions) { assumptions.slow_exp = true; }},
     {"mfma_slot", [](Assumptions& assumptions) { assumptions.mfma_in_valu_slot = true; }},
     {"packed_alone", [](Assumptions& assumptions) { assumptions.packed_alone = true; }},
     {"tlb", [](Assumptions& assumptions) { assumptions.translation = true; }},
     {"demand_fetch", [](Assumptions& assumptions) { assumptions.fetch_on_demand = true; }},
     {"cvt8", [](Assumptions& assumptions) { assumptions.code_conversion_clocks = 8; }},
     {"cvt16", [](Assumptions& assumptions) { assumptions.code_conversion_clocks = 16; }},
     {"cvt_u8_8", [](Assumptions& assumptions) { assumptions.byte_conversion_clocks = 8; }},
     {"cvt_u8_16", [](Assumptions& assumptions) { assumptions.byte_conversion_clocks = 16; }},
     {"barrier40", [](Assumptions& assumptions) { assumptions.barrier_clocks = 40; }},
     {"dma64", [](Assumptions& assumptions) { assumptions.slow_lds_dma = true; }},
     {"apart", [](Assumptions& assumptions) { assumptions.apart = true; }}}};

// What public sources leave open, as sets of words joined by +: each alone, and the largest sets that AMD's V3 allows together
// (tests/harness/v3_bound_test.cpp). An interval spans them, each with its law of the clock (harness/perf/clock_law.hpp).
inline constexpr std::array<std::string_view, 12> open_questions = {
    "lds128",
    "mfma_slot",
    "packed_alone",
    "barrier40",
    "dma64",
    "cvt8",
    "cvt_u8_16",
    "cold",
    "tlb",
    "lds128+mfma_slot+packed_alone+barrier40+dma64+cvt_u8_16+cold+tlb",
    "mfma_slot+packed_alone+barrier40+dma64+cvt8+cvt_u8_16+tlb",
    "mfma_slot+packed_alone+dma64+cvt8+cvt_u8_16+cold+tlb"};

} // namespace fmha950::timing
