#pragma once
// Who made an allocation, in words: "made by hipMalloc from main, allocation 3". Faults say it.

#include <cstdint>
#include <string>

namespace fmha950::machine {

void set_origin(uint64_t begin, std::string origin); // of the allocation that begins there
std::string origin_of(uint64_t begin);               // "" if nobody said
void forget_origin(uint64_t begin);

} // namespace fmha950::machine
