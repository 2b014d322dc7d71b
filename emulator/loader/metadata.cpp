#include "emulator/loader/metadata.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/BinaryFormat/MsgPackReader.h>

namespace fmha950::loader {
namespace {

namespace msgpack = llvm::msgpack;

llvm::StringRef text_of(std::span<const std::byte> note) {
  return {reinterpret_cast<const char*>(note.data()), note.size()};
}

std::optional<msgpack::Object> next(msgpack::Reader& reader) {
  msgpack::Object object;
  llvm::Expected<bool> more = reader.read(object);
  if (more) return *more ? std::optional(object) : std::nullopt;
  llvm::consumeError(more.takeError());
  return std::nullopt;
}

bool well_formed(msgpack::Reader& reader, int depth) {
  const auto object = next(reader);
  if (!object || depth > 16 || object->Kind == msgpack::Type::Extension) return false;
  const bool map = object->Kind == msgpack::Type::Map;
  if (!map && object->Kind != msgpack::Type::Array) return true;
  for (size_t i = 0; i < object->Length; ++i) {
    const auto key = map ? next(reader) : std::nullopt;
    if (map && (!key || key->Kind != msgpack::Type::String)) return false;
    if (!well_formed(reader, depth + 1)) return false;
  }
  return true;
}

// LLVM's Document trusts its map keys and traps on one that is no scalar: corrupt notes must not reach it.
bool read(msgpack::Document& document, std::span<const std::byte> note) {
  msgpack::Reader reader(text_of(note));
  return well_formed(reader, 0) && document.readFromBlob(text_of(note), false);
}

[[noreturn]] void fail(const std::string& where, const char* expected) {
  throw LoadError(fmt::format("corrupt code object: metadata {} is not {}", where, expected));
}

// A map of the document and its path, so that an error names the entry.
struct Map {
  msgpack::MapDocNode node;
  std::string path;

  Map(msgpack::DocNode from, std::string where) : path(std::move(where)) {
    if (!from.isMap()) fail(path, "a map");
    node = from.getMap();
  }
  std::string at(const char* key) const { return fmt::format("{}/{}", path, key); }
  msgpack::DocNode* find(const char* key) {
    const auto entry = node.find(key);
    return entry == node.end() ? nullptr : &entry->second;
  }
  std::optional<std::string> text(const char* key) {
    msgpack::DocNode* entry = find(key);
    if (!entry) return std::nullopt;
    if (!entry->isString()) fail(at(key), "a string");
    return entry->getString().str();
  }
  std::optional<uint32_t> integer(const char* key) {
    msgpack::DocNode* entry = find(key);
    if (!entry) return std::nullopt;
    if (entry->getKind() == msgpack::Type::UInt && entry->getUInt() <= UINT32_MAX)
      return static_cast<uint32_t>(entry->getUInt());
    fail(at(key), "an unsigned 32-bit integer");
  }
  bool flag(const char* key) {
    msgpack::DocNode* entry = find(key);
    if (!entry) return false;
    if (entry->getKind() != msgpack::Type::Boolean) fail(at(key), "a boolean");
    return entry->getBool();
  }
  std::vector<Map> maps(const char* key) { // entries of an array; empty when there is none
    std::vector<Map> entries;
    msgpack::DocNode* entry = find(key);
    if (!entry) return entries;
    if (!entry->isArray()) fail(at(key), "an array");
    for (msgpack::DocNode element : entry->getArray())
      entries.emplace_back(element, fmt::format("{}[{}]", at(key), entries.size()));
    return entries;
  }
  template <class T> T required(std::optional<T> value, const char* key) const {
    if (!value) throw LoadError(fmt::format("corrupt code object: metadata {} is missing", at(key)));
    return *value;
  }
};

KernelMetadata parse_kernel(Map map) {
  KernelMetadata kernel;
  kernel.name = map.required(map.text(".name"), ".name");
  kernel.symbol = map.required(map.text(".symbol"), ".symbol");
  kernel.kernarg_bytes = map.required(map.integer(".kernarg_segment_size"), ".kernarg_segment_size");
  kernel.max_workgroup = map.integer(".max_flat_workgroup_size").value_or(1024);
  kernel.uses_dynamic_stack = map.flag(".uses_dynamic_stack");
  for (Map argument : map.maps(".args")) {
    Argument parsed{argument.required(argument.integer(".offset"), ".offset"),
                    argument.required(argument.integer(".size"), ".size"),
                    argument.required(argument.text(".value_kind"), ".value_kind")};
    // Some shipped objects name more than their segment holds. The hardware reads no metadata, and runs them.
    if (uint64_t{parsed.offset} + parsed.size > kernel.kernarg_bytes)
      ++kernel.arguments_left_out;
    else
      kernel.arguments.push_back(std::move(parsed));
  }
  return kernel;
}

} // namespace

std::vector<KernelMetadata> parse_metadata(std::span<const std::byte> note) {
  if (note.empty()) throw LoadError("code object has no metadata note (NT_AMDGPU_METADATA)");
  msgpack::Document document;
  if (!read(document, note)) throw LoadError("corrupt code object: its metadata note is not MessagePack");
  std::vector<KernelMetadata> kernels;
  for (Map kernel : Map(document.getRoot(), "").maps("amdhsa.kernels"))
    kernels.push_back(parse_kernel(std::move(kernel)));
  return kernels;
}

std::vector<std::string> printf_formats_of(std::span<const std::byte> note) {
  msgpack::Document document;
  std::vector<std::string> formats;
  if (note.empty() || !read(document, note)) return formats;
  Map root(document.getRoot(), "");
  msgpack::DocNode* const entries = root.find("amdhsa.printf");
  if (!entries) return formats;
  if (!entries->isArray()) fail(root.at("amdhsa.printf"), "an array");
  for (msgpack::DocNode entry : entries->getArray()) {
    if (!entry.isString()) fail(root.at("amdhsa.printf"), "an array of strings");
    formats.push_back(entry.getString().str());
  }
  return formats;
}

std::string processor_of(std::span<const std::byte> note) {
  msgpack::Document document;
  if (note.empty() || !read(document, note) || !document.getRoot().isMap()) return {};
  const std::string target = Map(document.getRoot(), "").text("amdhsa.target").value_or("");
  const size_t processor = target.rfind("--");
  return processor == std::string::npos ? target : target.substr(processor + 2);
}

} // namespace fmha950::loader
