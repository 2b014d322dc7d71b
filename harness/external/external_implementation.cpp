#include "harness/external/external_implementation.hpp"

#include "harness/external/case_names.hpp"
#include "harness/external/external_plan.hpp"
#include "harness/external/manifest.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

namespace fmha950::harness::external {

namespace {

namespace fs = std::filesystem;

Origin origin_of(const Manifest& manifest) {
  std::string folder = folder_of(manifest.file).string();
  for (size_t at = 0; (at = folder.find('\'', at)) != folder.npos; at += 4) folder.replace(at, 1, "'\\''");
  return {fmt::format(" --external '{}'", folder), manifest.digest, manifest.mutants};
}

class ExternalImplementation final : public Implementation {
 public:
  explicit ExternalImplementation(Manifest manifest)
      : manifest_(std::move(manifest)), origin_(origin_of(manifest_)) {
    for (const auto& [name, object] : manifest_.objects)
      hip::register_code_object(manifest_.name + "/" + name, object->code());
    // Kinds of values are the same in every case: a mistake in them is said before one is asked for.
    require_kinds(parse_case("batch_prefill/h=8:1/sq=200/sk=1000/q=fp8/kv=fp8/quant=tensor"));
  }

  std::string_view name() const override { return manifest_.name; }
  std::string_view description() const override { return manifest_.description; }
  Rank rank(const Problem&) const override { return Rank::by_name_only; }
  const Origin& origin() const override { return origin_; }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {{has_operator(batch_prefill)}};
    return sets;
  }

  // What the operator's features are to others, terms of the manifest are here.
  Support supports(const Problem& problem) const override {
    if (problem.op != batch_prefill) return Support::no(fmt::format("operator {}", name_of(problem.op)));
    const std::vector<RequestNames> requests = name_requests(problem);
    const Scope scope = scope_of(problem, requests);
    for (const Expression& term : manifest_.needs) try {
        if (!term.truth(scope)) return Support::no(fmt::format("needs {}", term.text()));
      } catch (const InvalidInput& error) { // of this case: other implementations have nothing to do with it
        return Support::no(error.what());
      }
    for (const OptionalPart& part : optional_parts(problem))
      if (std::ranges::none_of(part.names, [&](const std::string& name) { return manifest_.names(name); }))
        return Support::no(fmt::format("{}: the manifest uses {} nowhere", part.words, part.names.front()));
    return {};
  }

  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<ExternalPlan>(manifest_, problem, host, device);
  }

 private:
  void require_kinds(const Problem& problem) const {
    const std::vector<RequestNames> requests = name_requests(problem);
    const Scope scope = scope_of(problem, requests);
    for (const Expression& term : manifest_.needs) term.truth(scope);
  }

  const Manifest manifest_;
  const Origin origin_;
};

std::vector<std::string> folders_of_environment() {
  std::vector<std::string> folders;
  const char* const text = std::getenv("FMHA950_EXTERNAL");
  std::istringstream words(text ? text : "");
  for (std::string folder; std::getline(words, folder, ':');)
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

std::vector<fs::path> manifests_in(const std::string& said, const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) throw InvalidInput(said, folder, "must be a folder: " + error.message());
  if (files.empty() && !fs::exists(fs::path(folder) / "rows.csv"))
    throw InvalidInput(
        said, folder, "must hold manifests (*.json, docs/your_kernel.md) or rows.csv (device --calibration)");
  std::ranges::sort(files);
  return files;
}

} // namespace

void register_external(const std::vector<std::string>& folders) {
  static std::map<std::string, fs::path> registered;  // names and their files
  static std::set<fs::path> known;                    // folders
  std::map<std::string, fs::path> names = registered; // nothing stays of a call that fails
  std::set<fs::path> seen = known;
  std::vector<std::pair<std::string, std::string>> all; // where it is said, and the folder
  for (const std::string& folder : folders_of_environment()) all.emplace_back("FMHA950_EXTERNAL", folder);
  for (const std::string& folder : folders) all.emplace_back("--external", folder);
  std::vector<Manifest> manifests; // all are read before the first counts
  for (const auto& [said, folder] : all) {
    std::error_code error;
    if (!seen.insert(fs::weakly_canonical(folder, error)).second) continue;
    for (const fs::path& file : manifests_in(said, folder)) {
      Manifest manifest = read_manifest(file);
      const auto [earlier, is_new] = names.emplace(manifest.name, file);
      if (!is_new)
        throw InvalidInput(file.string() + ": name", manifest.name,
                           fmt::format("must be another one: {} has it", earlier->second.string()));
      manifests.push_back(std::move(manifest));
    }
  }
  std::vector<std::unique_ptr<Implementation>> made;
  for (Manifest& manifest : manifests)
    made.push_back(std::make_unique<ExternalImplementation>(std::move(manifest)));
  for (std::unique_ptr<Implementation>& each : made) register_implementation(std::move(each));
  registered = std::move(names);
  known = std::move(seen);
}

} // namespace fmha950::harness::external
