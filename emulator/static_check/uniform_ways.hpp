#pragma once
// Whether the waves of a workgroup come to each barrier together: between two barriers they may go different ways, but which
// barrier comes next, and whether one does, is decided by what is the same in all of them. (Where scalar loads have one
// address, they are taken to have one result.)

#include "emulator/static_check/common_values.hpp"

namespace fmha950::static_check {

bool meet_at_barriers(const Code& code, const CommonValues& common);

} // namespace fmha950::static_check
