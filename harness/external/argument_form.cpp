#include "harness/external/argument_form.hpp"

#include "harness/foreign/argument_block.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness::external {

namespace {

using workload::JsonField;

constexpr int deepest_struct = 4;
constexpr size_t most_struct_bytes = 4096; // of a kernel argument segment

std::optional<size_t> whole_number(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most_struct_bytes) return {};
  return number;
}

std::string notation() {
  return "must be TYPE:EXPRESSION or TYPE@OFFSET:EXPRESSION with a type of " + element_names() +
         " or ptr, or padN of at most 4096 bytes";
}

ArgumentForm read_text(const JsonField& field) {
  const std::string text = field.text();
  ArgumentForm form;
  form.place = field.path();
  if (text.starts_with("pad")) {
    const auto bytes = whole_number(std::string_view(text).substr(3));
    if (!bytes || *bytes == 0) field.refuse(notation());
    form.kind = ArgumentForm::Kind::padding;
    form.padding = *bytes;
    return form;
  }
  const size_t colon = text.find(':');
  if (colon == text.npos) field.refuse(notation());
  const std::string_view type = std::string_view(text).substr(0, std::min(colon, text.find('@')));
  if (type.size() < colon) {
    form.offset = whole_number(std::string_view(text).substr(type.size() + 1, colon - type.size() - 1));
    if (!form.offset) field.refuse(notation());
  }
  form.kind = type == "ptr" ? ArgumentForm::Kind::pointer : ArgumentForm::Kind::scalar;
  if (form.kind == ArgumentForm::Kind::scalar) {
    const auto element = element_named(type);
    if (!element) field.refuse(notation());
    form.element = *element;
  }
  form.value = Expression(field.path(), text.substr(colon + 1), colon + 2);
  return form;
}

std::string described(const ArgumentForm& form) {
  switch (form.kind) {
  case ArgumentForm::Kind::pointer: return "ptr";
  case ArgumentForm::Kind::scalar: return facts_of(form.element).name;
  case ArgumentForm::Kind::padding: return fmt::format("pad{}", form.padding);
  case ArgumentForm::Kind::structure: return fmt::format("a struct of {} bytes", form.bytes());
  }
  return "";
}

void place(const ArgumentForm& form, size_t offset, ArgumentLayout& layout) {
  layout.bytes = std::max(layout.bytes, offset + form.bytes());
  if (form.kind == ArgumentForm::Kind::structure) {
    for (const PlacedValue& inner : lay_out_fields(form.fields).values)
      layout.values.push_back({offset + inner.offset, inner.element, inner.value});
  } else if (form.kind != ArgumentForm::Kind::padding) {
    const bool pointer = form.kind == ArgumentForm::Kind::pointer;
    layout.values.push_back({offset, pointer ? std::nullopt : std::optional(form.element), form.value});
  }
}

void require_offset(const ArgumentForm& form, size_t offset, const char* by) {
  if (form.offset && *form.offset != offset)
    throw InvalidInput(form.place, fmt::format("offset {}", *form.offset),
                       fmt::format("must be {}, where {} puts it", offset, by));
}

size_t alignment_of(std::span<const ArgumentForm> fields) { // of C: that of the widest
  size_t widest = 1;
  for (const ArgumentForm& field : fields) widest = std::max(widest, field.alignment());
  return widest;
}

std::string described(const KernelParameter& parameter, size_t index) {
  return fmt::format("{}, {} bytes at {}{}", parameter.described(index), parameter.size, parameter.offset,
                     parameter.is_buffer() ? ", a pointer" : "");
}

} // namespace

size_t ArgumentForm::bytes() const {
  switch (kind) {
  case Kind::pointer: return pointer_bytes;
  case Kind::scalar: return facts_of(element).bytes;
  case Kind::padding: return padding;
  case Kind::structure: return struct_bytes;
  }
  return 0;
}

size_t ArgumentForm::alignment() const {
  if (kind == Kind::padding) return 1;
  return kind == Kind::structure ? alignment_of(fields) : bytes();
}

size_t struct_bytes_of(std::span<const ArgumentForm> fields) {
  return aligned(lay_out_fields(fields).bytes, alignment_of(fields));
}

ArgumentForm read_argument(const JsonField& field, int depth) {
  if (!field.json().is_object()) return read_text(field);
  field.allow({"struct", "bytes"});
  if (depth >= deepest_struct)
    field.refuse(fmt::format("must not nest structs deeper than {}", deepest_struct));
  ArgumentForm form;
  form.kind = ArgumentForm::Kind::structure;
  form.place = field.path();
  for (const JsonField& inner : field.at("struct").items())
    form.fields.push_back(read_argument(inner, depth + 1));
  if (form.fields.empty()) field.refuse("must have a field");
  const size_t fields = struct_bytes_of(form.fields);
  if (fields > most_struct_bytes) field.refuse(fmt::format("must have at most {} bytes", most_struct_bytes));
  form.struct_bytes = fields;
  if (field.has("bytes") && field.at("bytes").whole(1, most_struct_bytes) != fields)
    field.at("bytes").refuse(fmt::format("must be {}: its fields take as many", fields));
  return form;
}

ArgumentLayout lay_out_fields(std::span<const ArgumentForm> fields) {
  ArgumentLayout layout;
  for (const ArgumentForm& field : fields) {
    const size_t offset = aligned(layout.bytes, field.alignment());
    require_offset(field, offset, "C's layout");
    place(field, offset, layout);
  }
  return layout;
}

ArgumentLayout lay_out_arguments(const std::string& where, std::span<const ArgumentForm> arguments,
                                 const ForeignKernel& kernel) {
  ArgumentLayout layout;
  if (kernel.silent) {
    layout = lay_out_fields(arguments);
    if (layout.bytes > kernel.kernarg_bytes)
      throw InvalidInput(where, fmt::format("{} bytes", layout.bytes),
                         fmt::format("must fit the argument segment of kernel {}, {} bytes", kernel.name,
                                     kernel.kernarg_bytes));
    layout.bytes = kernel.kernarg_bytes;
    return layout;
  }
  layout.bytes = kernel.kernarg_bytes;
  for (const ArgumentForm& argument : arguments)
    if (argument.kind == ArgumentForm::Kind::padding)
      throw InvalidInput(argument.place, "padding",
                         "must be left out: the kernel's metadata says where arguments lie");
  if (kernel.parameters.empty() && !arguments.empty())
    throw InvalidInput(where, fmt::format("{} arguments", arguments.size()),
                       fmt::format("must be none: kernel {} takes none", kernel.name));
  if (arguments.size() != kernel.parameters.size()) {
    const auto& last = kernel.parameters[std::min(arguments.size(), kernel.parameters.size() - 1)];
    throw InvalidInput(where, fmt::format("{} arguments", arguments.size()),
                       fmt::format("must be {}, as many as kernel {} has: {} is {}", kernel.parameters.size(),
                                   kernel.name,
                                   arguments.size() < kernel.parameters.size() ? "the next" : "the last",
                                   described(last, static_cast<size_t>(&last - kernel.parameters.data()))));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelParameter& parameter = kernel.parameters[i];
    const ArgumentForm& argument = arguments[i];
    const bool pointer = argument.kind == ArgumentForm::Kind::pointer;
    const bool of_type =
        argument.kind != ArgumentForm::Kind::scalar || is_of_type(argument.element, parameter);
    if (argument.bytes() != parameter.size || pointer != parameter.is_buffer() || !of_type)
      throw InvalidInput(argument.place, described(argument),
                         fmt::format("must be what kernel {} takes: {}{}", kernel.name,
                                     described(parameter, i),
                                     parameter.type.empty() ? "" : " of type " + parameter.type));
    require_offset(argument, parameter.offset, "the kernel's metadata");
    place(argument, parameter.offset, layout);
  }
  return layout;
}

void ArgumentLayout::encode(const Scope& scope, std::span<std::byte> block) const {
  for (const PlacedValue& each : values) {
    const Value value = each.value.value(scope);
    const auto* const pointer = std::get_if<Pointer>(&value);
    const bool number = std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value) ||
                        std::holds_alternative<bool>(value);
    if (each.element ? !number : pointer == nullptr)
      each.value.fail(
          1, fmt::format("{} ({})", text_of(value), each.value.text()),
          fmt::format("is {}, must be {}", kind_of(value), each.element ? "a number" : "a pointer"));
    if (pointer) {
      std::memcpy(block.data() + each.offset, &pointer->address, pointer_bytes);
      continue;
    }
    if (std::holds_alternative<double>(value) && facts_of(*each.element).integer)
      each.value.fail(1, fmt::format("{} ({})", text_of(value), each.value.text()),
                      fmt::format("is a real number, must be an integer ({})", facts_of(*each.element).name));
    const std::string text =
        std::holds_alternative<bool>(value) ? (std::get<bool>(value) ? "1" : "0") : text_of(value);
    try {
      const std::vector<std::byte> bytes = encoded(each.value.place(), text, *each.element);
      std::ranges::copy(bytes, block.begin() + static_cast<ptrdiff_t>(each.offset));
    } catch (const InvalidInput& error) {
      each.value.fail(1, fmt::format("{} ({})", text, each.value.text()), error.expected);
    }
  }
}

} // namespace fmha950::harness::external
