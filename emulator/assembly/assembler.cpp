#include "emulator/assembly/assembler.hpp"

#include "emulator/isa/decode/mc_target.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace fmha950::assembly {
namespace {

void note(const llvm::SMDiagnostic& said, void* errors) {
  if (said.getKind() != llvm::SourceMgr::DK_Error) return;
  static_cast<std::vector<AssemblerError>*>(errors)->push_back(
      {static_cast<size_t>(std::max(said.getLineNo(), 0)), said.getMessage().str()});
}

} // namespace

Assembled assemble(const std::string& text, const std::string& features) {
  const isa::McTarget llvm_mc(features);
  Assembled result;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  sources.setDiagHandler(note, &result.errors);
  llvm::MCContext context(llvm_mc.triple, llvm_mc.info.get(), llvm_mc.registers.get(),
                          llvm_mc.subtarget.get(), &sources, &llvm_mc.options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(
      llvm_mc.target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      llvm_mc.target->createMCAsmBackend(*llvm_mc.subtarget, *llvm_mc.registers, llvm_mc.options));
  auto writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      llvm_mc.target->createMCCodeEmitter(*llvm_mc.instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(
      llvm_mc.target->createMCObjectStreamer(llvm_mc.triple, context, std::move(backend), std::move(writer),
                                             std::move(emitter), *llvm_mc.subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *llvm_mc.info));
  const std::unique_ptr<llvm::MCTargetAsmParser> of_target(
      llvm_mc.target->createMCAsmParser(*llvm_mc.subtarget, *parser, *llvm_mc.instructions, llvm_mc.options));
  parser->setTargetParser(*of_target);
  const bool failed = parser->Run(false);
  if (failed && result.errors.empty()) result.errors.push_back({0, "LLVM gave no reason"});
  if (!result.errors.empty()) return result;
  const auto object = std::as_bytes(std::span(bytes.data(), bytes.size()));
  result.object.assign(object.begin(), object.end());
  return result;
}

std::vector<std::byte> section(std::span<const std::byte> object, const std::string& name) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  const File file = llvm::cantFail(
      File::create(llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size())));
  for (const auto& each : llvm::cantFail(file.sections())) {
    if (llvm::cantFail(file.getSectionName(each)) != name) continue;
    const auto contents = std::as_bytes(std::span(llvm::cantFail(file.getSectionContents(each))));
    return {contents.begin(), contents.end()};
  }
  return {};
}

} // namespace fmha950::assembly
