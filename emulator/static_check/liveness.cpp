#include "emulator/static_check/liveness.hpp"

#include "emulator/static_check/code.hpp"

namespace fmha950::static_check {
namespace {

using observe::RegisterSet;

void pass_backwards(const observe::InstructionInfo& info, RegisterSet& read) {
  for (const isa::RegisterRange& range : info.uses.writes())
    if (range.file == isa::RegisterRange::File::scalar) read.remove(range);
  for (const isa::RegisterRange& range : info.uses.reads()) read.add(range);
}

} // namespace

std::vector<RegisterSet> registers_read_from(const Code& code) {
  std::vector<RegisterSet> read(code.size());
  const std::vector<isa::BasicBlock>& blocks = code.flow().blocks;
  for (bool grew = true; grew;) {
    grew = false;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      RegisterSet behind;
      for (size_t successor : block->successors) behind.add(read[blocks[successor].begin]);
      for (size_t i = block->end; i-- > block->begin;) {
        pass_backwards(code.info(i), behind);
        grew |= i == block->begin && !(read[i] == behind);
        read[i] = behind;
      }
    }
  }
  return read;
}

} // namespace fmha950::static_check
