#pragma once
// The kernels whose ISA mutants are judged, by their names: "code object/kernel".

#include "harness/mutation/subject.hpp"

#include <map>
#include <memory>
#include <string>

namespace fmha950::harness::cure {

std::map<std::string, std::unique_ptr<Subject>> all_subjects();
std::string digest_of_code(const std::string& subject); // of its code object

} // namespace fmha950::harness::cure
