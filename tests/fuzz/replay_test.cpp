// Replays every corpus: what a fuzzer once found stays found.
#include "tests/fuzz/target.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
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

// Without a fuzzer's guidance, and in every build: forms that no corpus has are drawn, too. FMHA950_FUZZ_PROBLEMS=FIRST:END
// draws others than the first 150.
TEST_CASE("fuzz: random problems, drawn by their numbers", "[slow]") {
  uint32_t first = 0, end = 150;
  if (const char* range = std::getenv("FMHA950_FUZZ_PROBLEMS"))
    REQUIRE(std::sscanf(range, "%u:%u", &first, &end) == 2);
  for (uint32_t number = first; number < end; ++number) {
    std::mt19937 random(number);
    std::vector<uint8_t> bytes(160);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    INFO(number);
    CHECK_NOTHROW(fuzz::targets().at("problem")(bytes));
  }
}
