#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/mutation/subject.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <iterator>
#include <span>

namespace fmha950::harness {

namespace {

class Digest { // FNV-1a, 64 bits: what is told apart are builds, not adversaries
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  }
  void add(const std::string& text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  // What is loaded of an ELF file: neither line tables, which name the build's folder, nor the headers, which
  // have their sizes.
  void add_loaded(std::span<const std::byte> file) {
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    const uint64_t headers_end = header.e_phoff + uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      std::memcpy(&segment, file.data() + header.e_phoff + i * sizeof segment, sizeof segment);
      const uint64_t begin = std::max(segment.p_offset, headers_end),
                     end = segment.p_offset + segment.p_filesz;
      if (segment.p_type == PT_LOAD && begin < end) add(file.subspan(begin, end - begin));
    }
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace

std::string code_digest(std::span<const std::byte> code_object) {
  Digest digest;
  digest.add_loaded(code_object);
  return digest.text();
}

std::string page_of(const std::string& subject) { return subject.substr(0, subject.find_first_of("/,")); }

PageCodes page_codes() {
  std::map<std::string, Digest> digests;
  auto subjects = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
  for (const auto& subject : subjects) {
    const std::string page = page_of(subject->name());
    if (!digests.contains(page)) digests[page].add_loaded(hip::code_object(page));
    for (size_t problem = 0; problem < subject->problems(); ++problem)
      digests[page].add(subject->problem(problem));
  }
  for (const SourceMutant& mutant : source_mutants())
    digests[mutant.implementation].add_loaded(code_of(mutant));
  PageCodes codes;
  for (const auto& [page, digest] : digests) codes[page] = digest.text();
  return codes;
}

} // namespace fmha950::harness
