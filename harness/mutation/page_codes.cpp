#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/mutation/subject.hpp"
#include "interface/code_object.hpp"

#include <algorithm>
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
  // Neither line tables, which name the build's folder, nor the headers, which have their sizes.
  void add_code(std::string_view variant, std::span<const std::byte> code_object) {
    for (const auto segment : hip::loaded_segments(variant, code_object)) add(segment);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace

std::string code_digest(std::string_view variant, std::span<const std::byte> code_object) {
  Digest digest;
  digest.add_code(variant, code_object);
  return digest.text();
}

std::string page_of(const std::string& subject) { return subject.substr(0, subject.find_first_of("/,")); }

PageCodes page_codes() {
  std::map<std::string, Digest> digests;
  auto subjects = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
  for (const auto& subject : subjects) {
    const std::string page = page_of(subject->name());
    if (!digests.contains(page)) digests[page].add_code(page, hip::code_object(page));
    for (size_t problem = 0; problem < subject->problems(); ++problem)
      digests[page].add(subject->problem(problem));
  }
  for (const SourceMutant& mutant : source_mutants())
    digests[mutant.implementation].add_code(mutant.name, code_of(mutant));
  PageCodes codes;
  for (const auto& [page, digest] : digests) codes[page] = digest.text();
  return codes;
}

} // namespace fmha950::harness
