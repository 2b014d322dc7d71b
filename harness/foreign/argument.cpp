#include "harness/foreign/argument.hpp"

#include "interface/error.hpp"

#include <charconv>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr const char* forms =
    "must be in:FILE, out:TYPE[EXTENTS], zero:TYPE[EXTENTS], inout:FILE, a number, TYPE:NUMBER, null or "
    "struct:TYPES=VALUES";

// Reads whole numbers separated by commas.
std::optional<std::vector<int64_t>> extents_of(std::string_view text) {
  constexpr int64_t most = int64_t{1} << 48; // elements: more than any device holds
  std::vector<int64_t> extents;
  int64_t elements = 1;
  while (!text.empty()) {
    int64_t extent = 0;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 1 || elements > most / extent) return std::nullopt;
    elements *= extent;
    extents.push_back(extent);
    text.remove_prefix(static_cast<size_t>(stopped - text.data()));
    if (text.empty()) break;
    if (!text.starts_with(',') || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return extents;
}

// Splits at commas that are outside brackets: out:float32[2,3] is one item.
std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

Element require_element(const std::string& field, const std::string& name) {
  if (const auto element = element_named(name)) return *element;
  throw InvalidInput(field, name, "must be a type: " + element_names());
}

void parse_shaped(const std::string& field, std::string_view text, Argument& argument) {
  const size_t open = text.find('['), close = text.find(']');
  const auto refuse = [&] {
    throw InvalidInput(field, argument.text,
                       "must be TYPE[EXTENTS] with whole extents from 1, such as float32[16,64], and then "
                       "perhaps =FILE");
  };
  if (open == text.npos || close == text.npos || close < open) refuse();
  argument.element = require_element(field, std::string(text.substr(0, open)));
  auto extents = extents_of(text.substr(open + 1, close - open - 1));
  if (!extents) refuse();
  argument.shape = std::move(*extents);
  text.remove_prefix(close + 1);
  if (text.empty()) return;
  if (!text.starts_with('=')) refuse();
  argument.saved = parse_place(field, std::string(text.substr(1)));
}

void parse_from_file(const std::string& field, std::string_view text, Argument& argument) {
  const size_t equals = argument.kind == Argument::Kind::inout ? text.find('=') : text.npos;
  argument.source = parse_place(field, std::string(text.substr(0, equals)));
  if (equals != text.npos) argument.saved = parse_place(field, std::string(text.substr(equals + 1)));
}

StructField parse_field(const std::string& field, const std::string& text) {
  if (text == "ptr") return {};
  constexpr std::string_view padding = "pad";
  if (!text.starts_with(padding)) return {require_element(field, text)};
  StructField parsed;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + padding.size(), end, parsed.padding);
  if (error != std::errc() || stopped != end || parsed.padding < 1 || parsed.padding > 4096)
    throw InvalidInput(field, text, "must be pad and a number of bytes from 1 to 4096, such as pad12");
  return parsed;
}

void parse_struct(const std::string& field, std::string_view text, Argument& argument) {
  const size_t equals = text.find('=');
  if (equals == text.npos)
    throw InvalidInput(field, argument.text,
                       "must be struct:TYPES=VALUES, such as struct:int32,float32=1,0.5");
  for (const std::string& item : items_of(text.substr(0, equals)))
    argument.fields.push_back(parse_field(field, item));
  std::vector<std::string> values = items_of(text.substr(equals + 1));
  if (values.size() == 1 && values.front().empty()) values.clear(); // a struct of padding alone
  for (const StructField& each : argument.fields) {
    if (each.padding) continue;
    const size_t place = argument.values.size();
    const std::string name = fmt::format("{}, value {}", field, place);
    if (place == values.size()) break; // counted below
    if (values[place].starts_with("struct:"))
      throw InvalidInput(name, values[place],
                         "must be no struct of its own: name its fields in the outer one");
    Argument value = parse_argument(name, values[place]);
    const bool fits = each.element ? value.kind == Argument::Kind::scalar && !value.element
                                   : value.is_buffer() || value.kind == Argument::Kind::null;
    if (!fits)
      throw InvalidInput(name, value.text,
                         each.element
                             ? fmt::format("must be a number: its field is {}", facts_of(*each.element).name)
                             : "must be a buffer (in:, out:, zero:, inout:) or null: its field is ptr");
    if (each.element) {
      value.element = each.element;
      encoded(name, value.number, *each.element);
    }
    argument.values.push_back(std::move(value));
  }
  size_t expected = 0;
  for (const StructField& each : argument.fields) expected += each.padding == 0;
  if (values.size() != expected)
    throw InvalidInput(
        field, argument.text,
        fmt::format("has {} values, must have {}: one for each field but padding", values.size(), expected));
}

} // namespace

TensorPlace parse_place(const std::string& field, const std::string& text) {
  const size_t hash = text.rfind('#');
  const TensorPlace place{text.substr(0, hash), hash == text.npos ? "" : text.substr(hash + 1)};
  const bool npy = place.file.ends_with(".npy"), safetensors = place.file.ends_with(".safetensors");
  if (!npy && !safetensors)
    throw InvalidInput(field, text,
                       "must name a file that ends in .npy or .safetensors (then perhaps #TENSOR)");
  if (hash != text.npos && (npy || place.tensor.empty()))
    throw InvalidInput(field, text,
                       "must name a tensor behind # of a .safetensors file; a .npy file has only one");
  return place;
}

Argument parse_argument(const std::string& field, const std::string& text) {
  Argument argument;
  argument.text = text;
  const size_t colon = text.find(':');
  const std::string head = text.substr(0, colon);
  const std::string_view rest = colon == text.npos ? "" : std::string_view(text).substr(colon + 1);
  using enum Argument::Kind;
  if (colon == text.npos) {
    argument.kind = text == "null" ? null : scalar;
    argument.number = text;
  } else if (head == "in" || head == "inout") {
    argument.kind = head == "in" ? in : inout;
    parse_from_file(field, rest, argument);
  } else if (head == "out" || head == "zero") {
    argument.kind = head == "out" ? out : zero;
    parse_shaped(field, rest, argument);
  } else if (head == "struct") {
    argument.kind = structure;
    parse_struct(field, rest, argument);
  } else {
    argument.element = element_named(head);
    if (!argument.element) throw InvalidInput(field, text, forms);
    argument.number = rest;
  }
  if (argument.kind != scalar) return argument;
  if (argument.element)
    encoded(field, argument.number, *argument.element);
  else if (!is_integer(argument.number) && !is_real(argument.number))
    throw InvalidInput(field, text, forms);
  return argument;
}

} // namespace fmha950::harness
