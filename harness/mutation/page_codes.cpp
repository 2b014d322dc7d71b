#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/mutation/subject.hpp"
#include "harness/output/digest.hpp"
#include "interface/code_object.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace fmha950::harness {

namespace {

// Neither line tables, which name the build's folder, nor the headers, which have their sizes.
void add_code(Digest& digest, std::string_view variant, std::span<const std::byte> code_object) {
  for (const auto segment : hip::loaded_segments(variant, code_object)) digest.add(segment);
}

} // namespace

std::string code_digest(std::string_view variant, std::span<const std::byte> code_object) {
  Digest digest;
  add_code(digest, variant, code_object);
  return digest.text();
}

std::string page_of(const std::string& subject) { return subject.substr(0, subject.find_first_of("/,")); }

PageCodes page_codes() {
  std::map<std::string, Digest> digests;
  auto subjects = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
  for (const auto& subject : subjects) {
    const std::string page = page_of(subject->name());
    if (!digests.contains(page)) add_code(digests[page], page, hip::code_object(page));
    for (size_t problem = 0; problem < subject->problems(); ++problem)
      digests[page].add(subject->problem(problem));
  }
  for (const SourceMutant& mutant : source_mutants())
    add_code(digests[mutant.implementation], mutant.name, code_of(mutant));
  PageCodes codes;
  for (const auto& [page, digest] : digests) codes[page] = digest.text();
  return codes;
}

} // namespace fmha950::harness
