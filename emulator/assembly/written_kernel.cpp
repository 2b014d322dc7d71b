#include "emulator/assembly/written_kernel.hpp"

#include "emulator/assembly/assembler.hpp"
#include "emulator/assembly/code_text.hpp"
#include "emulator/assembly/kernel_directives.hpp"
#include "emulator/assembly/quoted.hpp"
#include "emulator/observe/mutation/change_list.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/code.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <cstring>

namespace fmha950::assembly {
namespace {

namespace elf = llvm::ELF;
using Block = isa::Program::Block;

[[noreturn]] void refuse(const loader::Kernel& kernel, const std::string& why) {
  throw NotWritable(fmt::format("kernel {} cannot be written as assembly: {}", kernel.name, why));
}

// Of the device that the object is for: "gfx950:sramecc+:xnack-" to clang, "+sramecc,-xnack" to LLVM.
struct Target {
  std::string processor = "gfx950", features;
  explicit Target(uint32_t flags) {
    const uint32_t sramecc = flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V4,
                   xnack = flags & elf::EF_AMDGPU_FEATURE_XNACK_V4;
    if (sramecc == elf::EF_AMDGPU_FEATURE_SRAMECC_ON_V4) add("sramecc", '+');
    if (xnack == elf::EF_AMDGPU_FEATURE_XNACK_OFF_V4) add("xnack", '-');
  }

 private:
  void add(const std::string& feature, char sign) {
    processor += ":" + feature + sign;
    features += (features.empty() ? "" : ",") + std::string(1, sign) + feature;
  }
};

elf::Elf64_Ehdr header_of(const loader::CodeObject& object) {
  elf::Elf64_Ehdr header;
  std::memcpy(&header, object.file().data(), sizeof header);
  return header;
}

void require_written_changes(const loader::Kernel& kernel, const std::string& changes) {
  std::string none;
  if (changes.empty()) return;
  for (const observe::ListedChange& change : observe::parse_changes(changes, none)) {
    if (change.kernel != kernel.name) refuse(kernel, change.id + " is a change of another kernel");
    if (!change.function.empty())
      refuse(kernel,
             fmt::format("{} changes a function that it calls, which the file would lack", change.id));
    if (change.change == "num_records" || change.change == "trap")
      refuse(kernel, change.id + " changes what an instruction does, and no instruction does that");
  }
}

// Waves of a kernel whose arguments are preloaded begin 256 bytes behind its entry (LLVM AMDGPUUsage, "Preloaded Kernel
// Arguments"), and instructions before that are for firmware that does not preload.
void require_preload_entry(const loader::Kernel& kernel, const Block& code) {
  constexpr uint64_t skipped = 256;
  if (kernel.kernarg_preload == 0) return;
  for (const isa::Instruction& in : code.instructions)
    if (in.address == code.begin + skipped && in.laid_out_at == code.begin + skipped) return;
  refuse(kernel,
         "a change before +0x100 would move the place where its waves begin, as its arguments are preloaded");
}

class File {
 public:
  File(const loader::Kernel& kernel, const std::string& changes)
      : kernel_(kernel), changes_(changes), target_(header_of(*kernel.object).e_flags),
        name_(quoted(kernel.name)), original_(static_check::decoded(kernel)),
        changed_(changes.empty() ? original_ : *observe::mutant_code(kernel, changes)->of(kernel.entry)),
        code_(kernel, original_, changed_) {}

  std::string text(const Notes& notes) {
    if (kernel_.name.find_first_of("\"\\\n") != std::string::npos)
      refuse(kernel_, "the assembler takes no such name");
    require_preload_entry(kernel_, changed_);
    if (const std::string why = code_.not_written(); !why.empty()) refuse(kernel_, why);
    find_unwritable_instructions();
    const std::string text = whole(notes);
    compare(text);
    return text;
  }

 private:
  // Each instruction alone, as its text may be one that the assembler does not take: in sixteen bytes each, which no
  // instruction exceeds.
  void find_unwritable_instructions() {
    constexpr size_t slot = 16;
    for (bool again = true; again;) {
      again = false;
      std::string text = "\t.text\n";
      for (size_t i = 0; i < code_.size(); ++i) text += code_.instruction(i) + "\n\t.p2align 4\n";
      const Assembled tried = assemble(text, target_.features);
      for (const AssemblerError& error : tried.errors) {
        const size_t index = (error.line - 2) / 2;
        if (error.line < 2 || index >= code_.size() || code_.is_raw(index)) refuse(kernel_, error.text);
        code_.write_raw(index);
        again = true;
      }
      if (again) continue;
      const auto bytes = section(tried.object, ".text");
      for (size_t i = 0; i < code_.size(); ++i) {
        const auto wanted = code_.bytes(i);
        if (slot * i + wanted.size() > bytes.size() ||
            !std::ranges::equal(std::span(bytes).subspan(slot * i, wanted.size()), wanted))
          code_.write_raw(i);
      }
    }
  }

  std::string whole(const Notes& notes) const {
    const auto version = static_cast<unsigned>(header_of(*kernel_.object).e_ident[elf::EI_ABIVERSION]) + 2;
    std::string text =
        fmt::format("; Kernel {} as fmha950 changed it: {}\n"
                    ";   clang -x assembler -target amdgcn-amd-amdhsa -mcpu={} -c FILE.s -o FILE.o\n"
                    ";   ld.lld -shared FILE.o -o FILE.co\n"
                    "; It is the only kernel of that code object. Offsets in comments are the original's.\n",
                    kernel_.name, changes_.empty() ? "no change" : changes_, target_.processor);
    text += fmt::format("\t.amdgcn_target \"amdgcn-amd-amdhsa--{}\"\n\t.amdhsa_code_object_version {}\n",
                        target_.processor, version);
    text += fmt::format(
        "\t.text\n\t.globl {0}\n\t.protected {0}\n\t.p2align 8\n\t.type {0},@function\n{0}:\n", name_);
    text += code_.text(notes);
    text += fmt::format(".Lend:\n\t.size {0}, .Lend-{0}\n", name_);
    // Instructions are fetched ahead: LLVM's own padding behind gfx90a's code (AMDGPUTargetStreamer::EmitCodeEnd).
    text += "\t.p2alignl 6, 0xbf800000\n\t.fill 256, 4, 0xbf800000\n";
    text += "\t.section .rodata,\"a\",@progbits\n\t.p2align 6, 0x0\n" + descriptor_directives(kernel_, name_);
    text += code_.data();
    return text + "\t.amdgpu_metadata\n" + metadata() + "\t.end_amdgpu_metadata\n";
  }

  std::string metadata() const { return metadata_of(kernel_.object->metadata(), kernel_.name); }

  void compare(const std::string& text) const {
    const Assembled made = assemble(text, target_.features);
    if (!made.errors.empty())
      refuse(kernel_, fmt::format("LLVM's assembler refuses line {}: {}", made.errors.front().line,
                                  made.errors.front().text));
    const auto code = section(made.object, ".text"), wanted = code_.all_bytes();
    if (code.size() < wanted.size() || !std::ranges::equal(std::span(code).first(wanted.size()), wanted))
      refuse(kernel_, "LLVM's assembler makes other code of it");
    const auto descriptor = section(made.object, ".rodata");
    const auto* own = reinterpret_cast<const std::byte*>(kernel_.descriptor_address);
    constexpr size_t bytes = 64, entry_begin = 16,
                     entry_end = 24; // the offset of the entry is lld's to fill in
    for (size_t i = 0; i < bytes; ++i)
      if ((i < entry_begin || i >= entry_end) && (descriptor.size() != bytes || descriptor[i] != own[i]))
        refuse(kernel_, fmt::format("no directives give byte {} of its descriptor", i));
    const auto note = section(made.object, ".note");
    constexpr size_t head = 12 + 8; // name size, size, type, "AMDGPU\0\0"
    if (note.size() < head || metadata_of(std::span(note).subspan(head), kernel_.name) != metadata())
      refuse(kernel_, "LLVM's assembler makes other metadata of it");
  }

  const loader::Kernel& kernel_;
  const std::string& changes_;
  const Target target_;
  const std::string name_;
  const Block &original_, &changed_;
  CodeText code_;
};

} // namespace

std::string written_kernel(const loader::Kernel& kernel, const std::string& changes, const Notes& notes) {
  require_written_changes(kernel, changes);
  return File(kernel, changes).text(notes);
}

} // namespace fmha950::assembly
