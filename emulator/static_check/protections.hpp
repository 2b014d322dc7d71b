#pragma once
// The waits, barriers and s_nops of a kernel that has changes already, and which of them could go from it or be weaker besides,
// by a proof on all paths (proof.hpp). All of the analyses are made anew of the changed code. So a chain of proofs, each with the
// changes before it in force, says that the kernel with all of them does what it does with none.

#include "emulator/loader/code_object.hpp"

#include <optional>
#include <string>

namespace fmha950::static_check {

// A line for each, in code order, fields separated by tabs: offset from the kernel's entry; "vmcnt", "lgkmcnt", "barrier" or
// "nop" (an s_waitcnt is one for each counter that it waits on); "file:line"; the same with the file's directory, as far as the
// line tables name it; where it is inlined, the innermost call first, with commas between; instruction; depth of the innermost loop; what there is ("vmcnt(0)", "s_nop 3"); what would be enough
// ("vmcnt(4)", "" it may go); the change, as option mutant takes it; verdict of the proof; its reason. What is not proved has
// neither a change nor what is enough: "refuted" is needed on some path, "undecided" is not known. Inserted instructions are
// none. `only`: at this offset alone. Throws NoSuchMutant.
std::string list_protections(const loader::Kernel& kernel, const std::string& changes,
                             std::optional<uint64_t> only);

} // namespace fmha950::static_check
