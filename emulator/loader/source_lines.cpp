#include "emulator/loader/source_lines.hpp"

#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <mutex>

namespace fmha950::loader {

struct SourceLines::Context {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> dwarf;
  std::mutex mutex; // line tables are parsed on first use
};

SourceLines::SourceLines(std::span<const std::byte> elf) : context_(std::make_unique<Context>()) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(reinterpret_cast<const char*>(elf.data()), elf.size()),
                                     "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) { // lines are a comfort: without them the code still runs
    llvm::consumeError(object.takeError());
    return;
  }
  context_->object = std::move(*object);
  const auto quiet = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  context_->dwarf = llvm::DWARFContext::create(
      *context_->object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", quiet, quiet);
}

SourceLines::~SourceLines() = default;

std::string SourceLines::at(uint64_t address) const {
  if (!context_->dwarf) return {};
  const std::lock_guard lock(context_->mutex);
  const llvm::DILineInfoSpecifier raw_names(llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue);
  const auto info = context_->dwarf->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection}, raw_names);
  if (!info || info->Line == 0) return {};
  return fmt::format("{}:{}", info->FileName, info->Line);
}

} // namespace fmha950::loader
