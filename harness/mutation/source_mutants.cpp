#include "harness/mutation/source_mutants.hpp"

#include "interface/error.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

namespace fmha950::harness {

namespace fs = std::filesystem;

constexpr std::string_view operator_line = "operator "; // of the mutants behind it

fs::path mutant_folder() {
  if (const char* chosen = std::getenv("FMHA950_MUTANTS_DIR")) return chosen;
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "mutants";
}

std::vector<SourceMutant> mutants_in(const fs::path& folder) {
  const fs::path list = folder / "mutants.txt";
  std::vector<SourceMutant> mutants;
  std::ifstream file(list);
  std::string op;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with(operator_line)) {
      op = line.substr(operator_line.size());
      if (!find_operator(op))
        throw InvalidInput(fmt::format("{}:{}", list.string(), number), line, "must name an operator");
      continue;
    }
    SourceMutant mutant;
    mutant.implementation = folder.filename().string();
    mutant.op = op;
    std::istringstream words(line);
    std::getline(words >> mutant.name >> mutant.code_object >> std::ws, mutant.consequence);
    if (mutant.consequence.empty())
      throw InvalidInput(fmt::format("{}:{}", list.string(), number), line,
                         "must be a name, a code object and what breaks");
    mutant.file = folder / mutant.code_object / (mutant.name + ".co");
    if (!fs::exists(mutant.file))
      throw InvalidInput(
          "mutant", mutant.name,
          fmt::format("has not been built: {} is missing (./fmha950 test builds it)", mutant.file.string()));
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

SourceMutant mutant_named(const fs::path& folder, std::string_view name) {
  std::vector<SourceMutant> named;
  for (SourceMutant& mutant : mutants_in(folder))
    if (mutant.name == name || fmt::format("{}/{}", mutant.code_object, mutant.name) == name)
      named.push_back(std::move(mutant));
  if (named.size() == 1) return named.front();
  const std::string list = (folder / "mutants.txt").string();
  if (!fs::exists(list))
    throw InvalidInput(
        "mutant", std::string(name),
        fmt::format("{} has no source mutants: there is no {}", folder.filename().string(), list));
  if (named.empty())
    throw InvalidInput("mutant", std::string(name),
                       fmt::format("must be NAME or CODE_OBJECT/NAME of a line of {}", list));
  throw InvalidInput(
      "mutant", std::string(name),
      fmt::format("must be CODE_OBJECT/NAME: {} code objects of {} have it", named.size(), list));
}

std::set<std::string> mutated_implementations(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "mutants.txt")) names.insert(entry.path().filename());
  return names;
}

std::vector<SourceMutant> source_mutants(const fs::path& folder,
                                         const std::optional<std::set<std::string>>& only) {
  std::vector<SourceMutant> all;
  for (const std::string& name : mutated_implementations(folder))
    if (!only || only->contains(name)) std::ranges::move(mutants_in(folder / name), std::back_inserter(all));
  for (const SourceMutant& mutant : all)
    if (mutant.op.empty())
      throw InvalidInput(
          "mutant", mutant.name,
          fmt::format("stands behind no line `operator NAME` of the list of {}", mutant.implementation));
  if (all.empty() && !only)
    throw InvalidInput("mutants", folder.string(),
                       "must hold IMPLEMENTATION/mutants.txt with mutants (./fmha950 test builds them, or "
                       "FMHA950_MUTANTS_DIR)");
  return all;
}

bool concerns(const SourceMutant& mutant, const Problem& problem) { return mutant.op == name_of(problem.op); }

std::vector<std::byte> code_of(const SourceMutant& mutant) {
  std::ifstream file(mutant.file, std::ios::binary);
  std::vector<std::byte> bytes(fs::exists(mutant.file) ? fs::file_size(mutant.file) : 0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file || bytes.empty())
    throw InvalidInput("mutant", mutant.name, fmt::format("{} cannot be read", mutant.file.string()));
  return bytes;
}

} // namespace fmha950::harness
