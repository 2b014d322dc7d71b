// data/schemas/external_manifest.json: the examples keep to it, broken manifests do not, and it has the reader's keys.
#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"
#include "tests/harness/python.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sstream>

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;
using nlohmann::json;

namespace {

const std::string program = source_path("tests/harness/external/validate.py");
const std::string schema = source_path("data/schemas/external_manifest.json");

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

// A line for each file.
std::vector<std::string> validated(const std::vector<std::filesystem::path>& files) {
  std::string arguments = program + " " + schema;
  for (const auto& file : files) arguments += " " + quoted(file);
  const Finished finished = python(arguments);
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  return words_of(finished.output, '\n');
}

// The sound manifest with every key that there is.
ManifestFolder& with_all_keys(ManifestFolder& folder) {
  return folder.patch(R"json([
    {"op": "add", "path": "/$schema", "value": "external_manifest.json"},
    {"op": "add", "path": "/prepare", "value": [
      {"name": "a1", "arrange": "q", "from": "query", "type": "bf16", "shape": [4, 2], "strides": [2, 1], "scale": 1},
      {"name": "a2", "gather": "k_pool", "type": "bf16", "rows": "0", "all_rows": 64, "scale": 2, "descale": "k_descale"},
      {"name": "a3", "page_table": "r.pages", "fill": -1}]},
    {"op": "add", "path": "/finish", "value": [
      {"into": "output", "arrange": "scratch", "from": "fp32", "strides": [1, 1, 1], "scale": "0.5"}]},
    {"op": "add", "path": "/partials", "value": {"read_by": 1, "lse": "scratch", "base": "e", "table": "slots"}},
    {"op": "add", "path": "/launches/2/rows", "value": {"planned": "slots"}},
    {"op": "add", "path": "/mutants", "value": [
      {"object": "kernels.co", "symbol": "racing", "cases": ["batch_prefill/h=2:1/sq=8/sk=32"]}]}])json");
}

// Of an error about a key: "... must be one of a, b, c".
std::set<std::string> allowed_by_reader(const ManifestFolder& folder) {
  try {
    (void)folder.read();
  } catch (const InvalidInput& error) {
    CHECK(error.value == "no_such_key");
    REQUIRE(error.expected.starts_with("must be one of "));
    std::set<std::string> keys;
    for (const std::string& word : words_of(error.expected.substr(15), ','))
      keys.insert(word.substr(word.find_first_not_of(' ')));
    return keys;
  }
  FAIL("accepted");
  return {};
}

} // namespace

TEST_CASE("external manifests: every example is what the schema wants") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples/external")))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  REQUIRE(files.size() >= 4);
  const std::vector<std::string> said = validated(files);
  REQUIRE(said.size() == files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    INFO(files[i].string());
    CHECK(said[i] == "sound");
    CHECK(json::parse(contents(files[i])).at("schema") == manifest_schema);
  }
}

TEST_CASE("external manifests: reader and schema agree on what is sound and what is not") {
  ManifestFolder folder;
  with_all_keys(folder);
  const json sound = folder.manifest;
  CHECK_NOTHROW(folder.read());
  for (const char* const place : {"", "/define/0", "/lists", "/lists/work", "/workspace", "/launches/1",
                                  "/launches/1/kernels/0", "/launches/1/arguments/0", "/judged"})
    folder.set(std::string(place) + "/$comment", {"for", "people"});
  CHECK_NOTHROW(folder.read());
  const json commented = folder.manifest;
  // Each is refused by both.
  const std::vector<std::string> broken{
      R"([{"op": "replace", "path": "/schema", "value": 2}])",
      R"([{"op": "replace", "path": "/schema", "value": "1"}])",
      R"([{"op": "replace", "path": "/operator", "value": "append_prefill"}])",
      R"([{"op": "replace", "path": "/name", "value": "my kernel"}])",
      R"([{"op": "replace", "path": "/description", "value": "two\nlines"}])",
      R"([{"op": "remove", "path": "/judged"}])",
      R"([{"op": "remove", "path": "/judged/tile_keys"}])",
      R"([{"op": "replace", "path": "/judged/p", "value": "fp4"}])",
      R"([{"op": "replace", "path": "/needs", "value": null}])",
      R"([{"op": "replace", "path": "/define", "value": {"a": 1}}])",
      R"([{"op": "replace", "path": "/define/0", "value": {"a": 1, "b": 2}}])",
      R"([{"op": "replace", "path": "/lists/work/for/0", "value": "requests"}])",
      R"([{"op": "replace", "path": "/lists/work/entry", "value": []}])",
      R"([{"op": "replace", "path": "/launches", "value": []}])",
      R"([{"op": "replace", "path": "/launches/0/grid", "value": [1, 1, 1, 1]}])",
      R"([{"op": "replace", "path": "/launches/0/object", "value": "../kernels.co"}])",
      R"([{"op": "replace", "path": "/launches/0/object", "value": "/kernels.co"}])",
      R"([{"op": "replace", "path": "/launches/0/arguments/2", "value": "int:3"}])",
      R"([{"op": "replace", "path": "/launches/0/arguments/2", "value": 3}])",
      R"([{"op": "replace", "path": "/launches/0/rows", "value": "some"}])",
      R"([{"op": "remove", "path": "/launches/0/symbol"}])",
      R"([{"op": "add", "path": "/launches/0/kernels", "value": []}])",
      R"([{"op": "replace", "path": "/launches/1/arguments/0/bytes", "value": 0}])",
      R"([{"op": "replace", "path": "/workspace/scratch/zero", "value": 1}])",
      R"([{"op": "remove", "path": "/planner"}])",
      R"([{"op": "replace", "path": "/partials/read_by", "value": 0}])",
      R"([{"op": "add", "path": "/partials/base", "value": 10}])",
      R"([{"op": "replace", "path": "/finish/0/into", "value": "q"}])",
      R"([{"op": "remove", "path": "/prepare/0/arrange"}])",
      R"([{"op": "replace", "path": "/prepare/1/gather", "value": "q"}])",
      R"([{"op": "replace", "path": "/mutants/0/cases", "value": []}])",
      R"([{"op": "replace", "path": "/deterministic", "value": "yes"}])"};
  folder.write("sound.json", sound.dump());
  folder.write("commented.json", commented.dump());
  std::vector<std::filesystem::path> files{folder.path() / "sound.json", folder.path() / "commented.json"};
  for (const std::string& patch : broken) {
    INFO(patch);
    folder.manifest = sound;
    folder.patch(patch);
    CHECK_THROWS_AS(folder.read(), InvalidInput);
    files.push_back(folder.path() / fmt::format("{}.broken", files.size()));
    std::ofstream(files.back()) << folder.manifest.dump();
  }
  const std::vector<std::string> said = validated(files);
  REQUIRE(said.size() == broken.size() + 2);
  CHECK(said[0] == "sound");
  CHECK(said[1] == "sound");
  for (size_t i = 0; i < broken.size(); ++i) {
    INFO(broken[i]);
    CHECK(said[i + 2] != "sound");
  }
}

TEST_CASE("external manifests: the schema has the reader's keys") {
  ManifestFolder folder;
  with_all_keys(folder);
  const json sound = folder.manifest;
  for (const char* const place : {"", "planned", "lists/work", "workspace/scratch", "launches/0",
                                  "launches/1/kernels/0", "launches/0/rows", "launches/1/rows",
                                  "launches/1/arguments/0", "judged", "partials", "mutants/0", "finish/0"}) {
    INFO(place);
    folder.manifest = sound;
    folder.set(fmt::format("{}{}/no_such_key", *place ? "/" : "", place), 1);
    const Finished keys = python(fmt::format("{} --keys {} '{}'", program, schema, place));
    REQUIRE(keys.status == 0);
    const std::vector<std::string> known = words_of(keys.output.substr(0, keys.output.find('\n')), ' ');
    CHECK(allowed_by_reader(folder) == std::set<std::string>(known.begin(), known.end()));
  }
  // Of conversions the schema's keys are those of all kinds.
  std::set<std::string> of_all;
  for (const char* const place : {"/prepare/0", "/prepare/1", "/prepare/2"}) {
    folder.manifest = sound;
    folder.set(std::string(place) + "/no_such_key", 1);
    of_all.merge(allowed_by_reader(folder));
  }
  const Finished keys = python(program + " --keys " + schema + " prepare/0");
  CHECK(keys.output == fmt::format("{}\n", fmt::join(of_all, " ")));
}
