#pragma once
// Which row executes a mnemonic, in the vector width this process uses.

#include "emulator/isa/families.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::isa {

enum class Simd : uint8_t { baseline, avx2, avx512, avx512_vbmi }; // each has what those before it have

Simd widest_simd(); // of this host
Simd simd();        // in use
// Whether the host can execute the rows at all: not if they were compiled for one width that it lacks.
bool host_runs(std::string& error);
// By its name; before any decode.
bool select_simd(std::string_view name, std::string& error);

const std::vector<Family>& families();          // of the width in use
const Row* find_row(std::string_view mnemonic); // null: no checks know it, and it is not implemented

} // namespace fmha950::isa
