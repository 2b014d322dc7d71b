#pragma once
// What the order checks of LDS and of device memory share.

#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/program/instruction.hpp"

#include <string>

namespace fmha950::observe {

enum class Use : uint8_t { read, write, atomic };
Use use_of(const MemoryOperation& operation);

// "ds_read_b128 reads LDS bytes that buffer_load_dwordx4 writes, unordered"; an earlier null: unknown.
std::string conflict_text(const char* memory, const isa::Instruction* earlier, Use earlier_use,
                          const isa::Instruction* later, Use later_use);
// A load whose bytes come from a store that it is ordered behind, but may not see.
std::string stale_text(const isa::Instruction* store, const isa::Instruction* load);
// Two stores of the same bytes: it does not matter which comes last.
std::string equal_text(const char* memory, const isa::Instruction* earlier, const isa::Instruction* later);

} // namespace fmha950::observe
