#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/npy.hpp"
#include "interface/operator.hpp"
#include "workload/case_folder.hpp"
#include "workload/case_folder_form.hpp"
#include "workload/json_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fmha950::workload {
namespace {

std::filesystem::path file_of(const std::filesystem::path& folder, const JsonField& entry) {
  const JsonField field = entry.at("file");
  const std::filesystem::path file = file_inside(folder, field);
  if (!exists(file)) field.refuse("does not exist in " + folder.string());
  return file;
}

Tensor read_tensor(const std::filesystem::path& folder, const JsonField& entry) {
  const JsonField type_entry = entry.at("type");
  const auto type = from_name<ElementType>(type_entry.text());
  if (!type) type_entry.refuse(fmt::format("must be one of {}", fmt::join(names_of<ElementType>(), ", ")));
  Tensor tensor = read_npy(file_of(folder, entry), *type);
  if (entry.has("shape") && entry.json().at("shape") != nlohmann::json(tensor.shape()))
    entry.at("shape").refuse(fmt::format("the file holds [{}]", fmt::join(tensor.shape(), ",")));
  return tensor;
}

void refuse_unknown(const JsonField& tensors, std::span<const TensorEntry> known) {
  for (const auto& [name, value] : tensors.members())
    if (std::ranges::find(known, name, &TensorEntry::name) == known.end()) {
      std::vector<std::string_view> names;
      for (const TensorEntry& entry : known) names.push_back(entry.name);
      throw InvalidInput(tensors.path(), name, fmt::format("must be one of {}", fmt::join(names, ", ")));
    }
}

Problem read_problem(const JsonField& entry) {
  const std::string text = entry.text();
  Problem problem;
  try {
    problem = parse_case(text);
  } catch (const InvalidInput& error) {
    throw InvalidInput(entry.path() + ": " + error.field, error.value, error.expected);
  }
  if (problem.trace) entry.refuse("must spell out sq= and sk=, a folder holds no trace");
  return problem;
}

void require_version(const JsonField& root) {
  if (const JsonField format = root.at("format"); format.json() != "fmha950-case")
    format.refuse("must be \"fmha950-case\"");
  if (const JsonField version = root.at("version"); version.json() != case_folder_version)
    version.refuse(fmt::format("must be {}, the version that this program reads", case_folder_version));
}

// The bytes of the files of all tensors in an object or array, and in what it holds.
double file_bytes(const std::filesystem::path& folder, const JsonField& entry) {
  if (entry.has("file")) {
    std::error_code error; // a folder, for instance: read_npy() says so
    const auto bytes = std::filesystem::file_size(file_of(folder, entry), error);
    return error ? 0 : static_cast<double>(bytes);
  }
  double bytes = 0;
  if (entry.json().is_object())
    for (const auto& [key, value] : entry.members()) bytes += file_bytes(folder, value);
  if (entry.json().is_array())
    for (const JsonField& item : entry.items()) bytes += file_bytes(folder, item);
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
  const nlohmann::json manifest = read_json_file("case folder", folder / manifest_name);
  const JsonField root(manifest, std::string(manifest_name) + ":");
  require_version(root);
  CaseFolderHead head{read_problem(root.at("case")), file_bytes(folder, root.at("tensors"))};
  if (root.has("results")) head.bytes += file_bytes(folder, root.at("results"));
  return head;
}

CaseFolder load_case_folder(const std::filesystem::path& folder) {
  const nlohmann::json manifest = read_json_file("case folder", folder / manifest_name);
  const JsonField root(manifest, std::string(manifest_name) + ":");
  require_version(root);

  CaseFolder result;
  result.problem = read_problem(root.at("case"));
  if (root.has("made_from")) result.made_from = root.at("made_from").text();
  const JsonField tensors = root.at("tensors");
  const std::span<const TensorEntry> entries = result.problem.op->facts().tensors;
  refuse_unknown(tensors, entries);
  for (const TensorEntry& entry : entries) {
    const std::string name(entry.name);
    if (tensors.has(name) || entry.in_folder(result.problem))
      entry.of(result.tensors) = read_tensor(folder, tensors.at(name));
    if (const Tensor& tensor = entry.of(result.tensors);
        &tensor == &result.tensors.q_indptr && tensor.empty())
      result.tensors.q_indptr = query_indptr(result.problem);
  }

  if (!root.has("results")) return result;
  for (const JsonField& entry : root.at("results").items()) {
    const auto if_any = [&](const char* name) {
      return entry.has(name) ? read_tensor(folder, entry.at(name)) : Tensor();
    };
    result.results.push_back({.implementation = entry.at("implementation").text(),
                              .variant = entry.at("variant").text(),
                              .output = read_tensor(folder, entry.at("output")),
                              .lse = if_any("lse"),
                              .k_cache = if_any("k_cache"),
                              .v_cache = if_any("v_cache")});
  }
  return result;
}

} // namespace fmha950::workload
