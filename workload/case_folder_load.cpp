#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/npy.hpp"
#include "interface/operator.hpp"
#include "interface/regular_file.hpp"
#include "workload/case_folder.hpp"
#include "workload/case_folder_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace fmha950::workload {
namespace {

// A place in the manifest, such as "manifest.json: tensors.q", with the value found there.
struct Entry {
  std::filesystem::path folder;
  std::string path;
  const nlohmann::json& json;

  [[noreturn]] void fail(const std::string& expected) const {
    throw InvalidInput(path, json.dump(), expected);
  }
  bool has(const std::string& key) const { return json.is_object() && json.contains(key); }
  Entry at(const std::string& key) const {
    if (!json.is_object()) fail("must be an object");
    const std::string inner = path.ends_with(':') ? path + ' ' + key : path + '.' + key;
    if (!json.contains(key)) throw InvalidInput(inner, "absent", "is needed");
    return {folder, inner, json.at(key)};
  }
  Entry at(size_t index) const { return {folder, fmt::format("{}[{}]", path, index), json.at(index)}; }
  std::string text() const {
    if (!json.is_string()) fail("must be a string");
    return json.get<std::string>();
  }
};

// The parser keeps the last of several values of one key, so that the others would be dropped in silence.
class KeysOnce {
 public:
  // Throws InvalidInput for a key that its object has had before.
  void see(nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using enum nlohmann::json::parse_event_t;
    if (event == object_start) open_.emplace_back();
    if (event == object_end) open_.pop_back();
    if (event != key) return;
    Object& object = open_.back();
    object.key = parsed.get<std::string>();
    if (object.keys.insert(object.key).second) return;
    std::vector<std::string_view> path;
    for (const Object& outer : open_) path.push_back(outer.key);
    throw InvalidInput(fmt::format("{}: {}", manifest_name, fmt::join(path, ".")), "given twice",
                       "must be there once");
  }

 private:
  struct Object {
    std::string key; // the latest
    std::set<std::string> keys;
  };
  std::vector<Object> open_;
};

nlohmann::json parse_manifest(const std::filesystem::path& path) {
  require_regular_file("case folder", path);
  std::ifstream file(path);
  if (!file) throw InvalidInput("case folder", path.string(), "cannot be read");
  constexpr int deepest = 32; // a manifest has 4 levels; what prints a value recurses
  KeysOnce keys;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (depth > deepest)
      throw InvalidInput("case folder", path.string(),
                         fmt::format("is nested deeper than {} levels", deepest));
    keys.see(event, parsed);
    return true;
  };
  try {
    return nlohmann::json::parse(file, check);
  } catch (const nlohmann::json::exception& error) { // numbers that no double holds are no parse_error
    throw InvalidInput("case folder", path.string(), fmt::format("is not JSON: {}", error.what()));
  }
}

std::filesystem::path file_of(const Entry& entry) {
  const Entry file_entry = entry.at("file");
  const std::filesystem::path file = file_entry.text();
  if (file.is_absolute() || std::ranges::find(file, "..") != file.end())
    file_entry.fail("must be a file inside the folder");
  if (!exists(entry.folder / file)) file_entry.fail("does not exist in " + entry.folder.string());
  return entry.folder / file;
}

Tensor read_tensor(const Entry& entry) {
  const Entry type_entry = entry.at("type");
  const auto type = from_name<ElementType>(type_entry.text());
  if (!type) type_entry.fail(fmt::format("must be one of {}", fmt::join(names_of<ElementType>(), ", ")));
  Tensor tensor = read_npy(file_of(entry), *type);
  if (entry.has("shape") && entry.json["shape"] != nlohmann::json(tensor.shape()))
    entry.at("shape").fail(fmt::format("the file holds [{}]", fmt::join(tensor.shape(), ",")));
  return tensor;
}

void refuse_unknown(const Entry& tensors, std::span<const TensorEntry> known) {
  for (const auto& [name, value] : tensors.json.items())
    if (std::ranges::find(known, name, &TensorEntry::name) == known.end()) {
      std::vector<std::string_view> names;
      for (const TensorEntry& entry : known) names.push_back(entry.name);
      throw InvalidInput(tensors.path, name, fmt::format("must be one of {}", fmt::join(names, ", ")));
    }
}

Problem read_problem(const Entry& entry) {
  const std::string text = entry.text();
  Problem problem;
  try {
    problem = parse_case(text);
  } catch (const InvalidInput& error) {
    throw InvalidInput(entry.path + ": " + error.field, error.value, error.expected);
  }
  if (problem.trace) entry.fail("must spell out sq= and sk=, a folder holds no trace");
  return problem;
}

void require_version(const Entry& root) {
  if (const Entry format = root.at("format"); format.json != "fmha950-case")
    format.fail("must be \"fmha950-case\"");
  if (const Entry version = root.at("version"); version.json != case_folder_version)
    version.fail(fmt::format("must be {}, the version that this program reads", case_folder_version));
}

// The bytes of the files of all tensors in an object or array, and in what it holds.
double file_bytes(const Entry& entry) {
  if (entry.has("file")) {
    std::error_code error; // a folder, for instance: read_npy() says so
    const auto bytes = std::filesystem::file_size(file_of(entry), error);
    return error ? 0 : static_cast<double>(bytes);
  }
  double bytes = 0;
  if (entry.json.is_object())
    for (const auto& [key, value] : entry.json.items()) bytes += file_bytes(entry.at(key));
  if (entry.json.is_array())
    for (size_t i = 0; i < entry.json.size(); ++i) bytes += file_bytes(entry.at(i));
  return bytes;
}

Tensor query_indptr(const Problem& problem) {
  Tensor indptr(ElementType::int32, {static_cast<int64_t>(problem.requests.size()) + 1});
  for (size_t b = 0; b < problem.requests.size(); ++b)
    indptr.as<int32_t>()[b + 1] = indptr.as<int32_t>()[b] + problem.requests[b].query_length;
  return indptr;
}

} // namespace

CaseFolderHead read_case_folder_head(const std::filesystem::path& folder) {
  const nlohmann::json manifest = parse_manifest(folder / manifest_name);
  const Entry root{folder, std::string(manifest_name) + ":", manifest};
  require_version(root);
  CaseFolderHead head{read_problem(root.at("case")), file_bytes(root.at("tensors"))};
  if (root.has("results")) head.bytes += file_bytes(root.at("results"));
  return head;
}

CaseFolder load_case_folder(const std::filesystem::path& folder) {
  const nlohmann::json manifest = parse_manifest(folder / manifest_name);
  const Entry root{folder, std::string(manifest_name) + ":", manifest};
  require_version(root);

  CaseFolder result;
  result.problem = read_problem(root.at("case"));
  if (root.has("made_from")) result.made_from = root.at("made_from").text();
  const Entry tensors = root.at("tensors");
  if (!tensors.json.is_object()) tensors.fail("must be an object");
  const std::span<const TensorEntry> entries = result.problem.op->facts().tensors;
  refuse_unknown(tensors, entries);
  for (const TensorEntry& entry : entries) {
    const std::string name(entry.name);
    if (tensors.has(name) || entry.in_folder(result.problem))
      entry.of(result.tensors) = read_tensor(tensors.at(name));
    if (const Tensor& tensor = entry.of(result.tensors);
        &tensor == &result.tensors.q_indptr && tensor.empty())
      result.tensors.q_indptr = query_indptr(result.problem);
  }

  if (!root.has("results")) return result;
  const Entry results = root.at("results");
  if (!results.json.is_array()) results.fail("must be an array");
  for (size_t i = 0; i < results.json.size(); ++i) {
    const Entry entry = results.at(i);
    const auto if_any = [&](const char* name) {
      return entry.has(name) ? read_tensor(entry.at(name)) : Tensor();
    };
    result.results.push_back({.implementation = entry.at("implementation").text(),
                              .variant = entry.at("variant").text(),
                              .output = read_tensor(entry.at("output")),
                              .lse = if_any("lse"),
                              .k_cache = if_any("k_cache"),
                              .v_cache = if_any("v_cache")});
  }
  return result;
}

} // namespace fmha950::workload
