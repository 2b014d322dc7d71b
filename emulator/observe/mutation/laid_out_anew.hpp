#pragma once
// Where changed functions lie: each where its original does, unless one before it has grown as far as there.

#include "emulator/program/program.hpp"

namespace fmha950::loader {
struct Kernel;
}

namespace fmha950::observe {

// No two instructions that launches of the kernel may execute lie at one place: functions in the way of what has grown move
// behind it, those that are not changed as copies, too. Other kernels are not executed by these launches, and stay.
void make_room(const loader::Kernel& kernel, isa::Program::Copies& copies);

} // namespace fmha950::observe
