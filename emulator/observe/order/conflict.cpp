#include "emulator/observe/order/conflict.hpp"

#include "emulator/isa/mnemonic.hpp"

#include <fmt/format.h>

namespace fmha950::observe {
namespace {

std::string_view name_of(const isa::Instruction* instruction) {
  const std::string_view mnemonic = instruction ? isa::mnemonic_of(*instruction) : "";
  return mnemonic.empty() ? "an instruction" : mnemonic;
}
const char* verb_of(Use use) { return use == Use::read ? "reads" : use == Use::write ? "writes" : "updates"; }

} // namespace

Use use_of(const MemoryOperation& operation) {
  using Kind = MemoryOperation::Kind;
  return operation.kind == Kind::load ? Use::read : operation.kind == Kind::store ? Use::write : Use::atomic;
}

std::string conflict_text(const char* memory, const isa::Instruction* earlier, Use earlier_use,
                          const isa::Instruction* later, Use later_use) {
  return fmt::format("{} {} {} bytes that {} {}, unordered", name_of(later), verb_of(later_use), memory,
                     name_of(earlier), verb_of(earlier_use));
}

std::string stale_text(const isa::Instruction* store, const isa::Instruction* load) {
  return fmt::format("{} may read old values from a cache, not the bytes that {} wrote", name_of(load),
                     name_of(store));
}

std::string equal_text(const char* memory, const isa::Instruction* earlier, const isa::Instruction* later) {
  return fmt::format("{} writes {} bytes that {} writes, unordered, with the same values", name_of(later),
                     memory, name_of(earlier));
}

} // namespace fmha950::observe
