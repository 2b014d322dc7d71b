#include "harness/external/matrix_types.hpp"

#include "interface/hip.hpp"

#include <map>
#include <mutex>
#include <sstream>

namespace fmha950::harness::external {

namespace {

struct ObjectTypes {
  std::set<std::string> all, of_functions; // of functions that are no kernels: who calls them is not known
  std::map<std::string, MatrixTypes> kernels;
};

std::set<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::set<std::string> all;
  for (std::string word; words >> word;) all.insert(word);
  return all;
}

// "multiplies     2  bf16 fp8" and "adds up        1  fp8, of bf16 fp8 in kernel NAME".
ObjectTypes types_of(const std::string& variant) {
  const auto object = hip::code_object(variant);
  const char* text = nullptr;
  hip::check(hip::api().FileCoverage(object.data(), object.size(), &text), "fmha950FileCoverage");
  ObjectTypes types;
  std::istringstream lines(text);
  constexpr size_t behind_number = 18;
  const std::string of = ", of ", in = " in kernel ";
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < behind_number) continue;
    const std::string said = line.substr(behind_number);
    if (line.starts_with("multiplies ")) types.all = words_of(said);
    const size_t middle = said.find(of), end = said.find(in);
    if (!line.starts_with("adds up ") || middle == said.npos || end == said.npos) continue;
    MatrixTypes& kernel = types.kernels[said.substr(end + in.size())];
    kernel.all = words_of(said.substr(middle + of.size(), end - middle - of.size()));
    if (!said.starts_with("nothing")) kernel.carried = words_of(said.substr(0, middle));
  }
  types.of_functions = types.all;
  for (const auto& [name, kernel] : types.kernels)
    for (const std::string& type : kernel.all) types.of_functions.erase(type);
  return types;
}

const ObjectTypes& known_types_of(const std::string& variant) {
  static std::mutex mutex;
  static std::map<std::string, ObjectTypes> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(variant);
  return found != known.end() ? found->second : known.emplace(variant, types_of(variant)).first->second;
}

} // namespace

MatrixTypes matrix_types(const std::string& variant, const std::string& symbol) {
  const ObjectTypes& object = known_types_of(variant);
  const auto kernel = object.kernels.find(symbol);
  MatrixTypes types = kernel == object.kernels.end() ? MatrixTypes() : kernel->second;
  if (object.of_functions.empty()) return types;
  types.all.insert(object.of_functions.begin(), object.of_functions.end());
  types.carried.clear();
  return types;
}

} // namespace fmha950::harness::external
