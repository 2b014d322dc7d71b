#include "emulator/observe/mutation/laid_out_anew.hpp"

#include "emulator/loader/code_object.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

using Block = isa::Program::Block;

// A kernel's entry (LLVM AMDGPUUsage, "Kernel Descriptor"); other functions are as LLVM aligns them: .p2align 2.
constexpr uint64_t kernel_alignment = 256, function_alignment = 4;

void move_to(Block& block, uint64_t begin) {
  const uint64_t distance = begin - block.instructions.front().laid_out_at;
  for (isa::Instruction& in : block.instructions) in.laid_out_at += distance;
}

std::unique_ptr<Block> copy_of(const Block& original) {
  auto copy = std::make_unique<Block>();
  copy->begin = original.begin;
  copy->end = original.end;
  copy->instructions = original.instructions;
  copy->index_of = original.index_of;
  return copy;
}

} // namespace

void make_room(const loader::Kernel& kernel, isa::Program::Copies& copies) {
  const std::vector<loader::Kernel>& kernels = kernel.object->kernels();
  uint64_t original_end = 0, end = 0; // of what comes before
  for (const auto& function : kernel.object->functions()) {
    const bool is_own = kernel.entry >= function.begin && kernel.entry < function.end;
    const bool is_kernel =
        std::ranges::find(kernels, function.begin, &loader::Kernel::entry) != kernels.end();
    if ((is_kernel && !is_own) || function.begin < original_end) continue; // a symbol inside another
    original_end = function.end;
    auto copy =
        std::ranges::find(copies.blocks, function.begin, [](const auto& block) { return block->begin; });
    if (function.begin < end) {
      if (copy == copies.blocks.end())
        copy = copies.blocks.insert(copy, copy_of(kernel.object->program().decode(
                                              function.begin, function.end, kernel.accum_offset)));
      const uint64_t alignment = is_kernel ? kernel_alignment : function_alignment;
      move_to(**copy, (end + alignment - 1) / alignment * alignment);
    }
    end = copy == copies.blocks.end() ? function.end : (*copy)->instructions.back().laid_out_at;
  }
}

} // namespace fmha950::observe
