#pragma once
// Which registers are read from a place on, on some path: a load whose registers are not is one that nothing depends on.

#include "emulator/observe/operation/register_set.hpp"

#include <vector>

namespace fmha950::static_check {

class Code;

// By instruction: what it or an instruction behind it reads before it is overwritten. A write of a VGPR does not end that:
// it may be one of some lanes.
std::vector<observe::RegisterSet> registers_read_from(const Code& code);

} // namespace fmha950::static_check
