#include "harness/external/planner.hpp"

#include "harness/cases/case_memory.hpp"
#include "harness/external/child_program.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/npy.hpp"
#include "workload/json_file.hpp"

#include <cstdlib>
#include <fmt/ranges.h>
#include <fstream>
#include <set>

namespace fmha950::harness::external {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// A folder of its own, which goes with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "fmha950-plan-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw InvalidInput("planner", path_, "must be a folder that can be made: is the disk full?");
  }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  fs::path path() const { return path_; }

 private:
  std::string path_;
};

json json_of(const Value& value) {
  if (const auto* const integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  if (const auto* const truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* const text = std::get_if<std::string>(&value)) return *text;
  return nullptr; // an address means nothing to another program
}

void write_case(const fs::path& folder, const Problem& problem, const Tensors& host, const Scope& scope) {
  json names;
  for (const auto& [name, value] : scope.names)
    if (!std::holds_alternative<Pointer>(value)) names[name] = json_of(value);
  json requests = json::array();
  for (const RequestNames& request : *scope.all_requests()) {
    json& item = requests.emplace_back();
    for (const auto& [name, value] : request.fields) item[name] = json_of(value);
  }
  std::ofstream(folder / "case.json")
      << json{{"case", print_case(problem)}, {"names", names}, {"requests", requests}}.dump(1) << '\n';
  const std::pair<const char*, const Tensor*> tables[] = {{"q_indptr", &host.q_indptr},
                                                          {"kv_indptr", &host.kv_indptr},
                                                          {"kv_page_indices", &host.kv_page_indices},
                                                          {"kv_last_page_lens", &host.kv_last_page_lens},
                                                          {"block_table", &host.block_table},
                                                          {"seqlen_k", &host.seqlen_k}};
  for (const auto& [name, tensor] : tables)
    if (!tensor->empty()) write_npy(folder / (std::string(name) + ".npy"), *tensor);
}

Value scalar_of(const workload::JsonField& field) {
  const json& value = field.json();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)
    field.refuse("must fit into 64 bits with a sign");
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  field.refuse("must be a number, a text, true or false");
}

} // namespace

Planned run_planner(const Manifest& manifest, const Problem& problem, const Tensors& host, const Scope& scope,
                    int seconds) {
  // A plan is made several times, for each run of a case: that nobody waits for it each time.
  static std::set<std::string> too_slow;
  const std::string key =
      fmt::format("{} {} {}", manifest.file.string(), manifest.digest, print_case(problem));
  const auto refuse_slow = [&](const std::string& what) {
    throw InvalidInput(manifest.file.string() + ": planner",
                       fmt::format("{}", fmt::join(manifest.planner, " ")),
                       fmt::format("must end within {} seconds{}", seconds, what));
  };
  if (too_slow.contains(key)) refuse_slow(", and did not: it is not started again for this case");
  const ScratchFolder scratch;
  write_case(scratch.path(), problem, host, scope);
  std::vector<std::string> words = manifest.planner;
  words.push_back(scratch.path().string());
  const fs::path folder = folder_of(manifest.file);
  // A program of the folder, which no PATH leads to.
  if (std::error_code error; fs::is_regular_file(folder / words[0], error))
    words[0] = fs::absolute(folder / words[0]).lexically_normal().string();
  const ProgramEnd end = run_program(words, folder, seconds);
  const auto refuse = [&](const std::string& expected) {
    const std::string said = end.last_words.empty() ? "" : "; it said: " + end.last_words;
    throw InvalidInput(manifest.file.string() + ": planner",
                       fmt::format("{}", fmt::join(manifest.planner, " ")), expected + said);
  };
  if (!end.started) refuse("must be a program that can be started");
  if (!end.in_time) {
    too_slow.insert(key);
    refuse_slow(end.last_words.empty() ? "" : "; it said: " + end.last_words);
  }
  if (end.exit_code != 0) refuse(fmt::format("must end with exit code 0, not {}", end.exit_code));
  Planned planned;
  double all_bytes = 0;
  for (const std::string& name : manifest.planned_tables) {
    const fs::path file = scratch.path() / (name + ".npy");
    if (!fs::exists(file)) refuse(fmt::format("must write {}.npy into the folder that it is given", name));
    constexpr uint64_t most = uint64_t{1} << 30;
    std::error_code error;
    const uint64_t bytes = fs::file_size(file, error);
    if (!error && bytes > most) refuse(fmt::format("must write at most 1 GiB into {}.npy", name));
    all_bytes += error ? 0 : static_cast<double>(bytes);
    require_plan_memory(manifest.file.string() + ": planned table " + name, all_bytes);
    try {
      planned.tables[name] = read_npy_array(file.string());
    } catch (const InvalidInput& error) { // its folder is gone when somebody reads this
      refuse(fmt::format("must write {}.npy as it should be: {}, {}", name, error.value, error.expected));
    }
  }
  if (manifest.planned_scalars.empty()) return planned;
  if (!fs::exists(scratch.path() / "plan.json"))
    refuse("must write plan.json into the folder that it is given");
  json file;
  try {
    file = workload::read_json_file("planner", scratch.path() / "plan.json");
  } catch (const InvalidInput& error) {
    refuse("must write plan.json as it should be: " + error.expected);
  }
  const workload::JsonField root(file, manifest.file.string() + ": planner's plan.json:");
  for (const std::string& name : manifest.planned_scalars) planned.scalars[name] = scalar_of(root.at(name));
  return planned;
}

} // namespace fmha950::harness::external
