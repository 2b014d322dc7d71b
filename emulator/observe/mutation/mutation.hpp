#pragma once
// ISA mutants: a kernel's decoded code with one protection removed, made to prove that the hazard checks and
// probes notice. The original is not touched.
//
// A mutant's id is KERNEL+0xOFFSET:CHANGE, the offset that of the instruction from the kernel's entry:
//   vmcnt+1, lgkmcnt+1          the s_waitcnt there waits for one operation less
//   vmcnt-drop, lgkmcnt-drop    it does not wait on that counter (a field at 63 or 15 does not anyhow)
//   barrier-drop, nop-drop      the s_barrier or s_nop there is gone
//   num_records                 num_records of the resource descriptor there is 0xFFFFFFFF, for that buffer
//                               instruction and for every later one with the same SGPRs and the same place
//                               that wrote num_records (the nearest before it in the code)
// Beside them, and not listed (trap: to learn whether a problem comes to the place of a mutant at all):
//   wait-drop                   the s_waitcnt there is gone, and the wait state that it gives
//   trap                        the instruction there, or any of those of num_records, faults with trap_text
// Several ids with commas between them are one mutant that has all of these changes, and changes that protect may stand
// among them (change_list.hpp): what is found that way is a cure.
// In a function that the kernel calls it is KERNEL/FUNCTION+0xOFFSET:CHANGE. Those are not listed: which functions a kernel calls,
// and by which ways, is not for its code alone to say.
// Instructions that the kernel cannot reach (padding) have no mutants.

#include "emulator/observe/mutation/function_code.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::observe {

enum class Change : uint8_t {
  vmcnt_loosened,
  vmcnt_dropped,
  lgkmcnt_loosened,
  lgkmcnt_dropped,
  barrier_dropped,
  nop_dropped,
  num_records,
  wait_dropped,
  trap,
};
constexpr const char* trap_text = "the place of a mutant is executed";

std::span<const std::string_view> changes_of_mutants(); // their names
bool is_change_of_mutants(std::string_view name);

struct Mutation {
  uint64_t offset = 0; // of the instruction, from the entry of its function
  Change change = Change::vmcnt_loosened;
};
std::vector<Mutation> mutations_of(const FunctionCode& code);     // in code order
std::vector<Mutation> mutations_of(const loader::Kernel& kernel); // of its own code
std::string id_of(const FunctionCode& code, const Mutation& mutation);
std::string id_of(const loader::Kernel& kernel, const Mutation& mutation);
// Of all instructions that a mutant without num_records changes, from the kernel's entry.
std::vector<uint64_t> offsets_of_users(const loader::Kernel& kernel, const Mutation& mutation);

// One line per mutant, separated by tabs: id, source line, instruction, and from where execution may come to
// it and where it may go from there, as ranges of offsets: "0x0-0x1a0,0x1b4-0x1b4", ends included.
std::string list_mutants(const loader::Kernel& kernel);

// Whether the text is a list of changes (change_list.hpp) or empty; if not, `error` says what would be right.
bool parse_mutant(std::string_view text, std::string& error);

// The functions that these changes are of, with them, and others that lie elsewhere for it (laid_out_at); null when the changes
// are of another kernel. `first_doubted`: the first of them, from 1, on which the checks are not to count
// (Instruction::is_doubted); 0: on all. Throws NoSuchMutant.
const isa::Program::Copies* mutant_code(const loader::Kernel& kernel, const std::string& changes,
                                        uint32_t first_doubted = 0);

} // namespace fmha950::observe
