#pragma once
// What the check without running says of a kernel's code with changes (observe/mutation/change_list.hpp), and of the functions'
// to which a known call leads. Each is judged for itself: a call is not followed.

#include "emulator/loader/code_object.hpp"

#include <string>

namespace fmha950::static_check {

// A line for each of find_hazards(), fields separated by tabs: severity, kind, places of both sides ("0x10" from
// the kernel's entry, "FUNCTION+0x10" of a called function, "-": none), and what it says. `changes` may be "". Throws NoSuchMutant.
std::string list_hazards(const loader::Kernel& kernel, const std::string& changes);

} // namespace fmha950::static_check
