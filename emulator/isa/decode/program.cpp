#include "emulator/program/program.hpp"

#include "emulator/isa/decode/fields.hpp"
#include "emulator/isa/decode/mc.hpp"
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/isa/mnemonic.hpp"
#include "emulator/memory/fault.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::isa {
namespace {

void stop_unimplemented(machine::Wave&, const Instruction&) {
  machine::raise_fault("instruction not implemented");
}
void stop_illegal(machine::Wave&, const Instruction&) {
  machine::raise_fault("not an instruction of gfx950");
}
void stop_past_end(machine::Wave&, const Instruction&) {
  machine::raise_fault("execution ran past the end of the function");
}

} // namespace

Instruction decode_instruction(const uint8_t* code, size_t available, uint64_t address,
                               uint32_t accum_offset) {
  Instruction in;
  in.address = in.laid_out_at = address;
  std::memcpy(in.words, code, std::min<size_t>(available, sizeof in.words));
  const McInstruction mc = identify({code, std::min<size_t>(available, 20)}, address);
  if (mc.bytes == 0) {
    in.bytes = 4;
    in.execute = stop_illegal;
    return in;
  }
  in.bytes = static_cast<uint8_t>(mc.bytes);
  in.row = find_row(mc.mnemonic);
  in.execute = in.row && in.row->execute ? in.row->execute : stop_unimplemented;
  decode_fields(in, mc.mnemonic, accum_offset);
  return in;
}

const Instruction* Program::Block::at(uint64_t address) const {
  if (address < begin || address >= end) return nullptr;
  const int32_t index = index_of[(address - begin) / 4];
  return index < 0 ? nullptr : &instructions[static_cast<size_t>(index)];
}

const Program::Block& Program::decode(uint64_t begin, uint64_t end, uint32_t accum_offset) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Block>& slot = blocks_[{accum_offset, begin}];
  if (slot) return *slot;
  auto block = std::make_unique<Block>();
  block->begin = begin;
  block->end = end;
  block->index_of.assign((end - begin) / 4, -1);
  for (uint64_t address = begin; address < end;) {
    block->index_of[(address - begin) / 4] = static_cast<int32_t>(block->instructions.size());
    block->instructions.push_back(
        decode_instruction(reinterpret_cast<const uint8_t*>(address), end - address, address, accum_offset));
    address += block->instructions.back().bytes;
  }
  for (Instruction& in : block->instructions)
    if (is_relative_branch(in)) {
      const uint64_t target = in.address + 4 + static_cast<int64_t>(in.simm16) * 4;
      int32_t index = target >= begin && target < end ? block->index_of[(target - begin) / 4] : -1;
      if (index < 0) index = static_cast<int32_t>(block->instructions.size()); // the guard: faults when taken
      in.target = index - static_cast<int32_t>(&in - block->instructions.data());
    }
  Instruction guard;
  guard.address = guard.laid_out_at = end;
  guard.execute = stop_past_end;
  block->instructions.push_back(guard);
  slot = std::move(block);
  return *slot;
}

const Instruction* Program::find(uint64_t address, uint32_t accum_offset) const {
  std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound({accum_offset, address});
  if (after == blocks_.begin()) return nullptr;
  --after;
  return after->first.first == accum_offset ? after->second->at(address) : nullptr;
}

const Program::Block& Program::block_of(const Instruction& instruction) const {
  std::lock_guard lock(mutex_);
  const auto holds = [&](const std::unique_ptr<Block>& block) {
    const std::vector<Instruction>& all = block->instructions;
    return &instruction >= all.data() && &instruction < all.data() + all.size();
  };
  for (const auto& [key, block] : blocks_)
    if (holds(block)) return *block;
  for (const std::unique_ptr<Block>& copy : copies_.blocks)
    if (holds(copy)) return *copy;
  machine::raise_fault("an instruction of no decoded function");
}

const Program::Block* Program::Copies::of(uint64_t address) const {
  for (const std::unique_ptr<Block>& block : blocks)
    if (address >= block->begin && address < block->end) return block.get();
  return nullptr;
}

const Instruction* Program::Copies::at(uint64_t address) const {
  const Block* const block = of(address);
  return block ? block->at(address) : nullptr;
}

const Program::Copies* Program::find_copies(const std::string& name) const {
  std::lock_guard lock(mutex_);
  return name_of_copies_ == name ? &copies_ : nullptr;
}

const Program::Copies& Program::keep_copies(const std::string& name, Copies copies) {
  std::lock_guard lock(mutex_);
  name_of_copies_ = name;
  copies_ = std::move(copies);
  return copies_;
}

std::string disassemble(const Instruction& instruction) {
  if (instruction.bytes == 0) return "end of function";
  return print({reinterpret_cast<const uint8_t*>(instruction.words), instruction.bytes}, instruction.address);
}

} // namespace fmha950::isa
