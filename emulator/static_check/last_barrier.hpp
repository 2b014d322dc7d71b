#pragma once
// Whether the waves that come to a barrier need it, if it is their last. What they access behind it may come sooner without it;
// other waves wait for their end instead (machine_gfx950.md section 1.2), when all that they did is complete. It takes for given
// that all waves have the same number of barriers in the kernel as it is: then what others do behind their last barrier had no
// order with it before, either. The check barrier_divergence sees what breaks that.

#include "emulator/static_check/pointer_bases.hpp"

namespace fmha950::static_check {

// True if no barrier comes behind it on any path, and what comes there accesses no LDS, nor device memory that something in
// front of a barrier writes, or reads through the same argument.
bool is_needless_last_barrier(const Code& code, const PointerBases& bases, size_t barrier);

} // namespace fmha950::static_check
