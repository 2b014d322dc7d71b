#pragma once
// An argument of a manifest's launch, or a field of a struct or of a work list. A text is TYPE:EXPRESSION, the notation
// of `device run` with an expression in place of a number:
//
//   "ptr:k_pool"  "i32:kv_heads"  "f32:scale * log2e"  "u32@48:group"   @48: at this offset, which is checked
//   "pad4"                                                              four bytes of zeros
//   {"struct": [...], "bytes": 152}                                     by value, with C's layout

#include "harness/external/expression.hpp"
#include "harness/foreign/code_object_file.hpp"
#include "harness/foreign/element.hpp"
#include "workload/json_field.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness::external {

struct ArgumentForm {
  enum class Kind : uint8_t { pointer, scalar, padding, structure };
  Kind kind = Kind::scalar;
  std::string place; // "FILE: launches[0].arguments[2]"
  Element element = Element::int32;
  std::optional<size_t> offset;
  size_t padding = 0;
  Expression value; // of a pointer or scalar
  std::vector<ArgumentForm> fields;
  size_t struct_bytes = 0; // with what C adds at the end

  size_t bytes() const;
  size_t alignment() const;
};

// Throws InvalidInput. Structs may hold structs, four deep.
ArgumentForm read_argument(const workload::JsonField& field, int depth = 0);

// Where values come in a block of bytes.
struct PlacedValue {
  size_t offset = 0;
  std::optional<Element> element; // none: a pointer
  Expression value;
};

struct ArgumentLayout {
  size_t bytes = 0;
  std::vector<PlacedValue> values;

  // Throws InvalidInput for a value of another kind, or one that its type does not hold.
  void encode(const Scope& scope, std::span<std::byte> block) const;
};

// By C's rules, one after the other; an offset that is said must be the one that follows. Throws InvalidInput.
ArgumentLayout lay_out_fields(std::span<const ArgumentForm> fields);
size_t struct_bytes_of(std::span<const ArgumentForm> fields); // with what C adds at the end

// By the kernel's metadata where it has any: as many arguments, each of its size, pointers where it has buffers. Throws
// InvalidInput that names argument, offset and both types.
ArgumentLayout lay_out_arguments(const std::string& place, std::span<const ArgumentForm> arguments,
                                 const ForeignKernel& kernel);

} // namespace fmha950::harness::external
