#include "harness/cure/all_subjects.hpp"

#include "numerics/digest.hpp"

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
  numerics::Digest digest;
  digest.add(hip::code_object(subject.substr(0, subject.find('/'))));
  return digest.text();
}

} // namespace fmha950::harness::cure
