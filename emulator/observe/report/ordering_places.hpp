#pragma once
// At which places of the code one instruction, a wait, a barrier or an s_nop, would order two others: those that every way
// from the one to the other goes through.

#include "emulator/observe/report/function_places.hpp"
#include "emulator/observe/report/report.hpp"

namespace fmha950::observe {

struct OrderingPlaces {
  std::vector<CodeRange> between; // in the order in which a wave gets there
  uint64_t stretch = 0;           // Report::stretch
};

// `missing` is the hazard's. The pair is of one function; between waves either may come first in
// its code, whatever ran first on the device.
OrderingPlaces ordering_places(const FunctionPlaces& places, const Hazard& hazard, size_t earlier,
                               size_t later);

} // namespace fmha950::observe
