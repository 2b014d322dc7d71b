#include "harness/foreign/argument_block.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

Array contents_of(const Argument& argument) {
  if (!argument.source.empty()) return read_array(argument.source);
  Array array{*argument.element, argument.shape, {}};
  size_t bytes = facts_of(array.element).bytes;
  for (const int64_t extent : array.shape) bytes *= static_cast<size_t>(extent);
  array.bytes.assign(bytes, argument.kind == Argument::Kind::out ? poison_byte : std::byte{0});
  return array;
}

// Of a number without a type: an integer or a float of the argument's size. Integers may be read as signed or not.
Element element_of_size(const std::string& field, const Argument& argument, size_t bytes) {
  using enum Element;
  const bool integer = is_integer(argument.number), negative = argument.number.starts_with('-');
  switch (bytes) {
  case 1:
    if (integer) return negative ? int8 : uint8;
    break;
  case 2: return !integer ? float16 : negative ? int16 : uint16;
  case 4: return !integer ? float32 : negative ? int32 : uint32;
  case 8: return !integer ? float64 : negative ? int64 : uint64;
  default: break;
  }
  throw InvalidInput(field, argument.text,
                     fmt::format("must have {} bytes: struct:TYPES=VALUES, for instance", bytes));
}

size_t bytes_of(const StructField& field) {
  if (field.padding) return field.padding;
  return field.element ? facts_of(*field.element).bytes : pointer_bytes;
}

size_t alignment_of(const Argument& structure) { // of C: that of the widest field
  size_t widest = 1;
  for (const StructField& field : structure.fields)
    if (!field.padding) widest = std::max(widest, bytes_of(field));
  return widest;
}

class Layout {
 public:
  ArgumentBlock block;

  void put(size_t offset, const std::vector<std::byte>& bytes) {
    reserve(offset + bytes.size());
    std::ranges::copy(bytes, block.bytes.begin() + static_cast<ptrdiff_t>(offset));
  }
  void reserve(size_t bytes) { block.bytes.resize(std::max(block.bytes.size(), bytes)); }

  void put_buffer(size_t offset, size_t index, const std::string& name, const Argument& argument) {
    reserve(offset + pointer_bytes);
    block.buffers.push_back({index, name, contents_of(argument), argument.is_output(),
                             argument.kind == Argument::Kind::out, argument.saved, offset});
  }

  // Returns its bytes. `offset` is the struct's.
  size_t put_struct(size_t offset, size_t index, const std::string& name, const Argument& argument) {
    size_t at = 0, value = 0;
    for (const StructField& field : argument.fields) {
      const size_t bytes = bytes_of(field);
      if (!field.padding) {
        at = aligned(at, bytes);
        const Argument& given = argument.values[value];
        const std::string field_name = fmt::format("{}, value {}", name, value++);
        if (given.is_buffer())
          put_buffer(offset + at, index, field_name, given);
        else if (given.kind == Argument::Kind::scalar)
          put(offset + at, encoded(field_name, given.number, *field.element));
      }
      at += bytes;
    }
    at = aligned(at, alignment_of(argument));
    reserve(offset + at);
    return at;
  }
};

void require_bytes(const std::string& field, const Argument& argument, size_t has,
                   const KernelParameter& parameter) {
  if (has == parameter.size) return;
  throw InvalidInput(field, argument.text,
                     fmt::format("has {} bytes, must have {}: {}{}", has, parameter.size, parameter.kind,
                                 parameter.type.empty() ? "" : " " + parameter.type));
}

void put_by_metadata(Layout& layout, size_t index, const KernelParameter& parameter,
                     const Argument& argument) {
  const std::string name = parameter.described(index);
  using enum Argument::Kind;
  if (argument.is_buffer() || argument.kind == null) {
    require_bytes(name, argument, pointer_bytes, parameter);
    if (argument.is_buffer())
      layout.put_buffer(parameter.offset, index, name, argument);
    else
      layout.reserve(parameter.offset + pointer_bytes);
    return;
  }
  if (parameter.is_buffer())
    throw InvalidInput(name, argument.text,
                       "must be a buffer (in:, out:, zero:, inout:) or null: the kernel takes a pointer");
  if (argument.kind == structure) {
    require_bytes(name, argument, layout.put_struct(parameter.offset, index, name, argument), parameter);
    return;
  }
  std::optional<Element> element = argument.element;
  if (!element) element = element_of_type(parameter);
  if (!element) element = element_of_size(name, argument, parameter.size);
  require_bytes(name, argument, facts_of(*element).bytes, parameter);
  if (!is_of_type(*element, parameter))
    throw InvalidInput(name, argument.text,
                       fmt::format("is {}, must be {}", facts_of(*element).name, parameter.type));
  layout.put(parameter.offset, encoded(name, argument.number, *element));
}

// Returns the end of what is placed at or after `offset`.
size_t put_in_order(Layout& layout, size_t offset, size_t index, const Argument& argument) {
  const std::string name = fmt::format("argument {}", index);
  using enum Argument::Kind;
  if (argument.is_buffer() || argument.kind == null) {
    offset = aligned(offset, pointer_bytes);
    if (argument.is_buffer()) layout.put_buffer(offset, index, name, argument);
    return offset + pointer_bytes;
  }
  if (argument.kind == structure) {
    offset = aligned(offset, alignment_of(argument));
    return offset + layout.put_struct(offset, index, name, argument);
  }
  const Element otherwise = is_integer(argument.number) ? Element::int32 : Element::float32;
  const std::vector<std::byte> bytes = encoded(name, argument.number, argument.element.value_or(otherwise));
  offset = aligned(offset, bytes.size());
  layout.put(offset, bytes);
  return offset + bytes.size();
}

} // namespace

std::optional<Element> element_of_type(const KernelParameter& parameter) {
  using enum Element;
  const std::string& type = parameter.type;
  if (type == "float") return float32;
  if (type == "double") return float64;
  if (type == "half" || type == "_Float16" || type == "__half") return float16;
  if (type == "__bf16") return bfloat16;
  const bool is_unsigned = type.starts_with('u');
  for (const char* name : {"char", "short", "int", "long"})
    if (type == name || type == std::string("u") + name || type == std::string("unsigned ") + name) {
      if (parameter.size == 8) return is_unsigned ? uint64 : int64;
      if (parameter.size == 4) return is_unsigned ? uint32 : int32;
      if (parameter.size == 2) return is_unsigned ? uint16 : int16;
      return is_unsigned ? uint8 : int8;
    }
  return std::nullopt;
}

bool is_of_type(Element element, const KernelParameter& parameter) {
  const std::optional<Element> wanted = element_of_type(parameter);
  return !wanted || (facts_of(*wanted).integer ? facts_of(element).integer : element == *wanted);
}

std::vector<Argument> parse_arguments(const ForeignKernel& kernel, const std::vector<std::string>& texts) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < texts.size(); ++i)
    arguments.push_back(parse_argument(i < kernel.parameters.size() ? kernel.parameters[i].described(i)
                                                                    : fmt::format("argument {}", i),
                                       texts[i]));
  return arguments;
}

ArgumentBlock lay_out(const ForeignKernel& kernel, const std::vector<Argument>& arguments) {
  Layout layout;
  if (kernel.silent) {
    size_t end = 0;
    for (size_t i = 0; i < arguments.size(); ++i) end = put_in_order(layout, end, i, arguments[i]);
    if (end > kernel.kernarg_bytes)
      throw InvalidInput("arguments", fmt::format("{} bytes", end),
                         fmt::format("must fit the argument segment of kernel {}, {} bytes", kernel.name,
                                     kernel.kernarg_bytes));
    layout.reserve(kernel.kernarg_bytes);
    return std::move(layout.block);
  }
  if (arguments.size() != kernel.parameters.size())
    throw InvalidInput("arguments", std::to_string(arguments.size()),
                       fmt::format("must be {}: kernel {} takes as many (--describe lists them)",
                                   kernel.parameters.size(), kernel.name));
  for (size_t i = 0; i < arguments.size(); ++i)
    put_by_metadata(layout, i, kernel.parameters[i], arguments[i]);
  return std::move(layout.block);
}

} // namespace fmha950::harness
