#include "emulator/observe/mutation/function_code.hpp"

#include "emulator/isa/uses.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/observe/mutation/reachability.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::observe {
namespace {

using Function = loader::CodeObject::Function;

Function called_function(const loader::Kernel& kernel, const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw NoSuchMutant(fmt::format("function {} of kernel {}: {}", name, kernel.name, why));
  };
  const std::vector<Function>& functions = kernel.object->functions();
  const auto found = std::ranges::find(functions, name, &Function::name);
  if (found == functions.end()) refuse("the code object has no such function");
  if (std::ranges::count(functions, name, &Function::name) > 1)
    refuse("the code object has several of that name");
  if (std::ranges::find(kernel.object->kernels(), found->begin, &loader::Kernel::entry) !=
      kernel.object->kernels().end())
    refuse("it is a kernel, whose own code is named KERNEL+0xOFFSET");
  return *found;
}

bool uses_resource(const isa::Instruction& in) {
  const isa::MemoryFacts& memory = isa::memory_of(in);
  return memory.segment == isa::Segment::buffer && memory.has_data();
}

} // namespace

size_t FunctionCode::index_at(uint64_t offset) const {
  const isa::Instruction* in = block.at(entry + offset);
  return in ? static_cast<size_t>(in - block.instructions.data()) : 0;
}

FunctionCode function_code(const loader::Kernel& kernel, const std::string& function) {
  isa::Program& program = kernel.object->program();
  if (!function.empty()) {
    const Function called = called_function(kernel, function);
    return {kernel.name + "/" + function, called.begin,
            program.decode(called.begin, called.end, kernel.accum_offset), kernel.accum_offset};
  }
  const auto own = kernel.object->function_at(kernel.entry);
  if (!own) throw NoSuchMutant(fmt::format("kernel {}: its entry is no code", kernel.name));
  return {kernel.name, kernel.entry, program.decode(own->begin, own->end, kernel.accum_offset),
          kernel.accum_offset};
}

std::map<size_t, size_t> resource_users(const FunctionCode& code) {
  const std::vector<bool> reached = Reachability(code.block).after(code.index_at(0));
  std::map<size_t, size_t> first_user;
  std::map<std::pair<int, size_t>, size_t> first_of; // by SGPR of num_records and its writer
  std::map<int, size_t> writer;                      // by SGPR
  for (size_t i = 0; i < code.block.instructions.size(); ++i) {
    const isa::Instruction& in = code.block.instructions[i];
    if (in.bytes == 0 || !reached[i]) continue;
    if (uses_resource(in)) {
      const int num_records = in.saddr + 2;
      const auto found = writer.find(num_records);
      const std::pair key(num_records, found == writer.end() ? SIZE_MAX : found->second);
      first_user[i] = first_of.try_emplace(key, i).first->second;
    }
    const isa::Uses uses = isa::uses_of(in, code.accum_offset);
    for (const isa::RegisterRange& range : uses.writes())
      if (range.file == isa::RegisterRange::File::scalar)
        for (int r = range.first; r < range.first + range.count; ++r) writer[r] = i;
  }
  return first_user;
}

} // namespace fmha950::observe
