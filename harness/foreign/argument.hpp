#pragma once
// One argument of a kernel that somebody else wrote, as command lines and lists of foreign
// objects say it (docs/device_run.md):
//
//   in:FILE[#TENSOR]               a buffer that holds the file's tensor
//   inout:FILE[#TENSOR][=SAVED]    likewise, and it is an output
//   out:TYPE[EXTENTS][=SAVED]      an output that holds poison before the launch
//   zero:TYPE[EXTENTS][=SAVED]     an output that holds zeros before it
//   null                           no buffer
//   NUMBER, TYPE:NUMBER            a scalar
//   struct:FIELDS=VALUES           by value; FIELDS are types, ptr and padN, VALUES any of the above but struct
//
// FILE and SAVED are .npy or .safetensors.

#include "harness/foreign/element.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

struct TensorPlace {
  std::string file, tensor; // `tensor` is of .safetensors files; "" is their only one
  bool empty() const { return file.empty(); }
};

struct StructField {
  std::optional<Element> element; // none: a pointer, or padding
  size_t padding = 0;             // bytes
};

struct Argument {
  enum class Kind : uint8_t { in, inout, out, zero, null, scalar, structure };

  std::string text; // as it was given
  Kind kind = Kind::scalar;
  TensorPlace source, saved;      // of buffers
  std::optional<Element> element; // of out and zero; of a scalar if it is said
  std::vector<int64_t> shape;     // of out and zero
  std::string number;             // of a scalar
  std::vector<StructField> fields;
  std::vector<Argument> values; // of the fields that are no padding

  bool is_buffer() const { return kind <= Kind::zero; }
  bool is_output() const { return is_buffer() && kind != Kind::in; }
};

// Throws InvalidInput, which calls the argument `field`.
Argument parse_argument(const std::string& field, const std::string& text);

// "FILE.safetensors#TENSOR", "FILE.npy". Throws likewise.
TensorPlace parse_place(const std::string& field, const std::string& text);

} // namespace fmha950::harness
