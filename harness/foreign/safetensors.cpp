// The format of huggingface/safetensors: 8 bytes with the length of a JSON header, the header, the tensors' bytes.
#include "harness/foreign/array.hpp"

#include "interface/regular_file.hpp"

#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;
constexpr const char* metadata = "__metadata__";

// Deeper JSON than the format has never reaches the parser's recursion.
bool too_deep(const std::string& text) {
  int depth = 0;
  for (const char c : text)
    if ((depth += (c == '{' || c == '[') - (c == '}' || c == ']')) > 64) return true;
  return false;
}

Json read_header(std::ifstream& file, const std::string& path) {
  constexpr uint64_t longest = 100'000'000; // as the format's own readers
  uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  if (!file || length > longest || length > std::filesystem::file_size(path) - sizeof length)
    refuse_file(path, "no .safetensors file",
                "must begin with the length of its header, 8 bytes, and the header");
  std::string text(length, '\0');
  file.read(text.data(), static_cast<std::streamsize>(length));
  Json header = too_deep(text) ? Json() : Json::parse(text, nullptr, false);
  if (!header.is_object()) refuse_file(path, "header", "must be a JSON object");
  header.erase(metadata);
  return header;
}

std::string names_of(const Json& header) {
  std::string names;
  for (const auto& [name, entry] : header.items()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

std::string choose(const Json& header, const TensorPlace& place) {
  if (place.tensor.empty() && header.size() == 1) return header.begin().key();
  if (place.tensor.empty() || !header.contains(place.tensor))
    refuse_file(place.file, place.tensor.empty() ? "no tensor" : "tensor " + place.tensor,
                fmt::format("must be named as FILE#TENSOR, one of: {}", names_of(header)));
  return place.tensor;
}

std::optional<Element> element_of(const Json& dtype) {
  for (int i = 0; i <= static_cast<int>(Element::float64); ++i)
    if (const auto element = static_cast<Element>(i); dtype == facts_of(element).safetensors) return element;
  return std::nullopt;
}

} // namespace

Array read_safetensors(const TensorPlace& place) {
  const std::string& path = place.file;
  require_regular_file("file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, "unreadable", "must be a .safetensors file");
  const Json header = read_header(file, path);
  const std::string name = choose(header, place);
  const Json& entry = header.at(name);
  const auto begin = static_cast<uint64_t>(file.tellg()), end = uint64_t{std::filesystem::file_size(path)};
  const auto malformed = [&](const char* what) { refuse_file(path, "tensor " + name, what); };
  const auto is_list = [&](const char* key, size_t least) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_array() && found->size() >= least &&
           std::all_of(found->begin(), found->end(),
                       [](const Json& item) { return item.is_number_unsigned(); });
  };
  if (!entry.is_object() || !entry.contains("dtype") || !is_list("shape", 0) || !is_list("data_offsets", 2))
    malformed("must have dtype, shape and data_offsets");
  const auto element = element_of(entry.at("dtype"));
  if (!element)
    malformed("must have a dtype of whole bytes: BOOL, I8 to I64, U8 to U64, F8_*, F16, BF16, F32 or F64");
  Array array{*element, entry.at("shape").get<std::vector<int64_t>>(), {}};
  const uint64_t from = entry.at("data_offsets")[0], to = entry.at("data_offsets")[1];
  if (from > to || to > end - begin) malformed("must have data_offsets inside the file");
  uint64_t expected = facts_of(*element).bytes;
  for (const int64_t extent : array.shape)
    if (extent < 0 || __builtin_mul_overflow(expected, static_cast<uint64_t>(extent), &expected))
      malformed("must have a shape that fits the file");
  if (expected != to - from) malformed("must have as many bytes as its shape and dtype need");
  array.bytes.resize(expected);
  file.seekg(static_cast<std::streamoff>(begin + from));
  file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(expected));
  if (!file) refuse_file(path, "unreadable", "must be readable to its end");
  return array;
}

void write_safetensors(const std::string& path, const std::vector<NamedArray>& arrays) {
  Json header = Json::object();
  uint64_t offset = 0;
  for (const NamedArray& each : arrays) {
    const std::string name = each.place.tensor.empty() ? "output" : each.place.tensor;
    if (header.contains(name))
      refuse_file(path, "tensor " + name, "must be written once: name the others as FILE#TENSOR");
    const uint64_t end = offset + each.array->bytes.size();
    header[name] = {{"dtype", facts_of(each.array->element).safetensors},
                    {"shape", each.array->shape},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' '); // tensors begin at multiples of 8 bytes
  const uint64_t length = text.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << text;
  for (const NamedArray& each : arrays)
    file.write(reinterpret_cast<const char*>(each.array->bytes.data()),
               static_cast<std::streamsize>(each.array->bytes.size()));
  file.close();
  if (!file) refuse_file(path, "not written", "must be a place for a file with enough room");
}

} // namespace fmha950::harness
