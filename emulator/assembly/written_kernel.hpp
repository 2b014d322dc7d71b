#pragma once
// A kernel with changes as an assembly file, which clang and lld make into a code object that has this kernel alone: the
// same descriptor and metadata, and the code as observe::mutant_code() lays it out anew.
//
// The file is assembled in this process, and every byte of code, descriptor and metadata is compared before anybody gets
// it. An instruction whose text LLVM's assembler does not take, or makes into other bytes, is written as .long.

#include "emulator/assembly/code_text.hpp"

#include <stdexcept>
#include <string>

namespace fmha950::assembly {

class NotWritable : public std::runtime_error { // says what of the kernel cannot be written faithfully
 public:
  using std::runtime_error::runtime_error;
};

// `changes` as option mutant takes them, "" none; `notes`: comments, by the offset in the unchanged kernel that they belong
// to. Throws NotWritable, and NoSuchMutant for changes that the kernel cannot have.
std::string written_kernel(const loader::Kernel& kernel, const std::string& changes, const Notes& notes);

} // namespace fmha950::assembly
