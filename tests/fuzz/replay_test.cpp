// Replays every corpus: what a fuzzer once found stays found.
#include "tests/fuzz/target.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using namespace fmha950;

namespace {

const std::filesystem::path corpora = source_path("tests/fuzz/corpus");

std::vector<std::filesystem::path> inputs_of(const std::string& target) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(corpora / target))
    inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::vector<uint8_t> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("fuzz corpora: every input is handled, an empty one too") {
  for (const auto& [name, target] : fuzz::targets()) DYNAMIC_SECTION(name) {
      CHECK_NOTHROW(target({}));
      REQUIRE_FALSE(inputs_of(name).empty());
      for (const std::filesystem::path& input : inputs_of(name)) {
        INFO(input.string());
        const std::vector<uint8_t> bytes = bytes_of(input);
        CHECK_NOTHROW(target(bytes));
      }
    }
}

TEST_CASE("fuzz corpora: each belongs to a target") {
  for (const auto& entry : std::filesystem::directory_iterator(corpora)) {
    INFO(entry.path().string());
    CHECK(fuzz::targets().contains(entry.path().filename().string()));
  }
}
