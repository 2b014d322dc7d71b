#pragma once
// The arguments of a launch as the bytes of the kernel argument segment, with the places where buffers' addresses come.

#include "harness/foreign/array.hpp"
#include "harness/foreign/code_object_file.hpp"

#include <optional>

namespace fmha950::harness {

struct ArgumentBuffer {
  size_t argument = 0; // whose it is
  std::string name;    // of it: "argument 2 (y)"
  Array before;        // what it holds before the launch
  bool output = false, poisoned = false;
  TensorPlace saved;     // of an output; may be empty
  size_t address_at = 0; // in the block
};

struct ArgumentBlock {
  std::vector<std::byte> bytes;
  std::vector<ArgumentBuffer> buffers;
};

// Bytes of an output before a launch: all ones, NaN in every float.
inline constexpr std::byte poison_byte{0xFF};

// A C type, as metadata names it, where the number alone does not say what it is.
std::optional<Element> element_of_type(const KernelParameter& parameter);

// Whether an argument of this type is what the metadata's type says: integers of either sign for integers, a real of the same
// type for a real. True where they do not say.
bool is_of_type(Element element, const KernelParameter& parameter);

// Of a command line or a list: one text for each argument, in the kernel's order. Throws InvalidInput.
std::vector<Argument> parse_arguments(const ForeignKernel& kernel, const std::vector<std::string>& texts);

// Reads the files. Places values by the metadata's offsets; where the metadata is silent, one after the other, each
// aligned to its size. Throws InvalidInput that names the argument, its value and what would be right.
ArgumentBlock lay_out(const ForeignKernel& kernel, const std::vector<Argument>& arguments);

} // namespace fmha950::harness
