#include "harness/external/matrix_types.hpp"

#include "interface/hip.hpp"

#include <map>
#include <mutex>
#include <sstream>

namespace fmha950::harness::external {

namespace {

std::set<std::string> types_of(const std::string& variant) {
  const auto object = hip::code_object(variant);
  const char* text = nullptr;
  hip::check(hip::api().FileCoverage(object.data(), object.size(), &text), "fmha950FileCoverage");
  std::set<std::string> types;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, count;
    if (words >> word >> count && word == "multiplies")
      while (words >> word) types.insert(word);
  }
  return types;
}

} // namespace

const std::set<std::string>& multiplied_types(const std::string& variant) {
  static std::mutex mutex;
  static std::map<std::string, std::set<std::string>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(variant);
  return found != known.end() ? found->second : known.emplace(variant, types_of(variant)).first->second;
}

} // namespace fmha950::harness::external
