#include "emulator/loader/inline_frames.hpp"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/ObjectFile.h>

namespace fmha950::loader {

struct InlineFrames::Context {
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<llvm::DWARFContext> dwarf;
};

InlineFrames::InlineFrames(std::span<const std::byte> elf) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(elf.data()), elf.size());
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "code object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  const auto silent = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  context_ = std::make_unique<Context>();
  context_->file = std::move(*file);
  context_->dwarf = llvm::DWARFContext::create(
      *context_->file, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", silent, silent);
}

InlineFrames::~InlineFrames() = default;

std::vector<SourceFrame> InlineFrames::at(uint64_t address) const {
  std::vector<SourceFrame> frames;
  if (!context_) return frames;
  using Specifier = llvm::DILineInfoSpecifier;
  const llvm::DIInliningInfo info = context_->dwarf->getInliningInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      Specifier(Specifier::FileLineInfoKind::RawValue, llvm::DINameKind::LinkageName));
  for (uint32_t i = 0; i < info.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo& line = info.getFrame(i);
    if (line.FunctionName == llvm::DILineInfo::BadString) continue;
    frames.push_back({llvm::demangle(line.FunctionName),
                      line.Line ? fmt::format("{}:{}", line.FileName, line.Line) : std::string()});
  }
  return frames;
}

} // namespace fmha950::loader
