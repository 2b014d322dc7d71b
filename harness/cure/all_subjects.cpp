#include "harness/cure/all_subjects.hpp"

#include "harness/record/digest.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace fmha950::harness::cure {

std::map<std::string, std::unique_ptr<Subject>> all_subjects() {
  auto made = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(made));
  std::map<std::string, std::unique_ptr<Subject>> subjects;
  for (auto& subject : made) {
    std::string name = subject->name();
    subjects.emplace(std::move(name), std::move(subject));
  }
  return subjects;
}

std::string digest_of_code(const std::string& subject) {
  const std::string variant = subject.substr(0, subject.find('/'));
  return code_digest(variant, hip::code_object(variant));
}

} // namespace fmha950::harness::cure
