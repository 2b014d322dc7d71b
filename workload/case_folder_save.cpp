#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/npy.hpp"
#include "interface/operator.hpp"
#include "workload/case_folder.hpp"
#include "workload/case_folder_form.hpp"
#include "workload/trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace fmha950::workload {
namespace {

using Json = nlohmann::ordered_json;

Json write_tensor(const std::filesystem::path& folder, const std::string& name, const Tensor& tensor) {
  const std::string file = name + ".npy";
  write_npy(folder / file, tensor);
  return {{"file", file}, {"type", name_of(tensor.type())}, {"shape", tensor.shape()}};
}

void create_folder(const std::filesystem::path& folder) {
  if (exists(folder / manifest_name))
    throw InvalidInput("case folder", folder.string(), "already holds a manifest.json, name a new folder");
  std::error_code error;
  create_directories(folder, error);
  if (error) throw InvalidInput("case folder", folder.string(), "cannot be created: " + error.message());
}

} // namespace

void save_case_folder(const std::filesystem::path& folder, const Problem& problem, const Tensors& tensors,
                      const std::vector<SavedResult>& results) {
  Problem spelled_out = problem;
  resolve_trace(spelled_out);
  spelled_out.trace.reset();
  create_folder(folder);

  Json manifest{{"format", "fmha950-case"},        {"version", case_folder_version},
                {"case", print_case(spelled_out)}, {"made_from", print_case(problem)},
                {"tensors", Json::object()},       {"results", Json::array()}};
  Tensors handles = tensors; // entries name tensors that may be written to
  for (const TensorEntry& entry : problem.op->facts().tensors) {
    const Tensor& tensor = entry.of(handles);
    // A table without entries is still a table: what the problem lacks has no shape either.
    if (tensor.shape().empty()) continue;
    manifest["tensors"][std::string(entry.name)] = write_tensor(folder, std::string(entry.name), tensor);
  }
  for (const SavedResult& result : results) {
    Json json{{"implementation", result.implementation}, {"variant", result.variant}};
    json["output"] = write_tensor(folder, "output_" + result.implementation, result.output);
    const auto add = [&](const char* name, const Tensor& tensor) {
      if (!tensor.empty())
        json[name] = write_tensor(folder, fmt::format("{}_{}", name, result.implementation), tensor);
    };
    add("lse", result.lse);
    add("k_cache", result.k_cache);
    add("v_cache", result.v_cache);
    manifest["results"].push_back(std::move(json));
  }
  // Last, so that a folder with a manifest is a complete one.
  std::ofstream file(folder / manifest_name);
  file << manifest.dump(2) << '\n';
  if (!file.flush())
    throw InvalidInput("case folder", (folder / manifest_name).string(), "cannot be written");
}

} // namespace fmha950::workload
