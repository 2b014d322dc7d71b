// Files that manifests name, files that are none, folders of manifests, and what their digest is of.
#include "harness/external/external_implementation.hpp"
#include "tests/harness/external/broken_manifests.hpp"
#include "tests/harness/program.hpp"

#include <algorithm>
#include <sys/stat.h>

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;

TEST_CASE("manifests: files that they name") {
  ManifestFolder folder;
  namespace fs = std::filesystem;
  const TemporaryFolder outside;
  fs::copy_file(CODE_OBJECTS "/foreign_kernels.co", outside.path() / "kernels.co");
  const auto with_object = [&](const std::string& name) {
    folder.set("/launches/0/object", name);
    return said_of(folder);
  };
  const std::string key = "FOLDER/m.json: launches[0].object = ";
  CHECK(
      with_object((outside.path() / "kernels.co").string()).ends_with(": must be a file inside the folder"));
  CHECK(with_object("../kernels.co") == key + "\"../kernels.co\": must be a file inside the folder");
  CHECK(with_object("a/../kernels.co") == key + "\"a/../kernels.co\": must be a file inside the folder");
  CHECK(with_object("") == key + "\"\": must be a file inside the folder");
  CHECK(with_object("none.co") == key + "\"none.co\": must be a file in FOLDER");
  fs::create_symlink(outside.path() / "kernels.co", folder.path() / "link.co");
  CHECK(with_object("link.co") == key + "\"link.co\": must lie in the folder: it is a link out of it");
  fs::create_directory_symlink(outside.path(), folder.path() / "there");
  CHECK(with_object("there/kernels.co") ==
        key + "\"there/kernels.co\": must lie in the folder: it is a link out of it");
  fs::create_symlink("loop.co", folder.path() / "loop.co");
  CHECK(with_object("loop.co") == key + "\"loop.co\": must be a file in FOLDER");
  fs::create_symlink("kernels.co", folder.path() / "inside.co");
  CHECK(with_object("inside.co") == "accepted");
  REQUIRE(mkfifo((folder.path() / "pipe.co").c_str(), 0600) == 0);
  CHECK(with_object("pipe.co") == key + "FOLDER/pipe.co: must be a regular file, and is a named pipe");
  fs::create_directory(folder.path() / "folder.co");
  CHECK(with_object("folder.co") == key + "FOLDER/folder.co: must be a regular file, and is a directory");
  folder.write("large.co", "");
  fs::resize_file(folder.path() / "large.co", most_object_bytes + 1);
  CHECK(with_object("large.co") == key + "\"large.co\": must have at most 256 MiB");
  folder.write("text.co", "no object");
  CHECK(with_object("text.co") ==
        "file = FOLDER/text.co: must be a code object: a 64-bit ELF file, or an offload bundle");
  fs::copy_file(CODE_OBJECTS "/loader_gfx942.co", folder.path() / "other.co");
  CHECK(with_object("other.co") ==
        "file = FOLDER/other.co: must be for gfx950, not for amdgcn-amd-amdhsa--gfx942");
  fs::copy_file("/proc/self/exe", folder.path() / "host.co");
  CHECK_THAT(with_object("host.co"),
             Catch::Contains("must be for AMDGPU (ELF machine 224), not for ELF machine"));
}

TEST_CASE("manifests: files that are none") {
  ManifestFolder folder;
  const auto said = [&](const std::string& text) {
    folder.write("m.json", text);
    try {
      (void)read_manifest(folder.file());
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return folder.without_path(error.what());
    }
  };
  CHECK_THAT(said(""), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK_THAT(said("{\"schema\": 1,}"), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK_THAT(said("{\"name\": \"\xff\"}"), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK(said(R"({"schema": 1, "schema": 1})") == "FOLDER/m.json: schema = given twice: must be there once");
  CHECK(said(R"({"judged": {"p": "kv", "p": "bf16"}})") ==
        "FOLDER/m.json: judged.p = given twice: must be there once");
  CHECK(said(R"({"launches": [{}, {"rows": [1, {"a": 2, "a": 3}]}]})") ==
        "FOLDER/m.json: launches[1].rows[1].a = given twice: must be there once");
  const std::string control = ": must be one line without control characters";
  CHECK(said(R"({"launches": ["a", "\u001b[2J"]})") ==
        "FOLDER/m.json: launches[1] = \"\\u001b[2J\"" + control);
  CHECK(said(R"({"needs": "a\nb"})") == "FOLDER/m.json: needs = \"a\\nb\"" + control);
  CHECK(said(R"({"define": {"\u0000": 1}})") == "FOLDER/m.json: define.\"\\u0000\" = \"\\u0000\"" + control);
  CHECK(said(R"({"$comment": "\u007f"})") == "FOLDER/m.json: $comment = \"\\u007f\"" + control);
  CHECK(said(std::string(40, '[')) == "--external = FOLDER/m.json: is nested deeper than 32 levels");
  CHECK(said(std::string(most_manifest_bytes + 1, ' ')) ==
        "--external = FOLDER/m.json: has 4194305 bytes, must have at most 4194304");
  const auto path_said = [&](const std::filesystem::path& path) {
    try {
      (void)read_manifest(path);
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return folder.without_path(error.what());
    }
  };
  REQUIRE(mkfifo((folder.path() / "pipe.json").c_str(), 0600) == 0);
  CHECK(path_said(folder.path() / "pipe.json") ==
        "--external = FOLDER/pipe.json: must be a regular file, and is a named pipe");
  CHECK(path_said(folder.path() / "none.json") == "--external = FOLDER/none.json: cannot be read");
}

TEST_CASE("manifests: a planner's words are of the folder, and no pipe is opened") {
  ManifestFolder folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  folder.set("/planner/1", "pipe");
  CHECK(said_of(folder) ==
        "FOLDER/m.json: planner[1] = FOLDER/pipe: must be a regular file, and is a named pipe");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "away.py");
  folder.set("/planner/1", "away.py");
  CHECK(said_of(folder) ==
        "FOLDER/m.json: planner[1] = \"away.py\": must lie in the folder: it is a link out of it");
}

TEST_CASE("manifests: the digest is of all that counts") {
  ManifestFolder folder;
  const std::string first = folder.read().digest;
  CHECK(folder.read().digest == first);
  std::ofstream(folder.path() / "plan.py", std::ios::app) << "\n";
  const std::string planner = folder.read().digest;
  CHECK(planner != first);
  std::ofstream(folder.path() / "kernels.co", std::ios::app) << '\0';
  const std::string object = folder.read().digest;
  CHECK(object != planner);
  folder.set("/launches/0/block", 32);
  CHECK(folder.read().digest != object);
}

TEST_CASE("manifests: folders") {
  const auto said = [](const std::vector<std::string>& folders) {
    try {
      register_external(folders);
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
  };
  const TemporaryFolder empty;
  CHECK_THAT(said({empty.path()}),
             Catch::EndsWith(": must hold manifests (*.json, docs/your_kernel.md) or rows.csv "
                             "(device --calibration)"));
  CHECK_THAT(said({(empty.path() / "none").string()}), Catch::Contains("must be a folder: "));
  std::ofstream(empty.path() / "rows.csv") << "object\n";
  CHECK(said({empty.path()}) == "accepted");

  ManifestFolder one, other;
  (void)one.read(); // writes the file
  (void)other.read();
  // A call that fails leaves nothing behind, so that the same one fails again for the same reason.
  for (int i = 0; i < 2; ++i)
    CHECK(said({one.path(), other.path()}) ==
          other.file().string() + ": name = external:sound: must be another one: " + one.file().string() +
              " has it");
  other.set("/needs", nlohmann::json{"kv"}).read();
  CHECK(said({other.path()}) ==
        other.file().string() + ": needs[0], column 1 = 'fp8' (kv): must be true or false, or an integer");
  // A folder counts once. In a process of its own: what is registered stays.
  const std::string twice =
      " --external " + one.path().string() + " --external " + one.path().string() + "/.";
  const Ran listed = run_fmha950("list" + twice, "FMHA950_EXTERNAL=" + one.path().string());
  CHECK(joined(listed.err).empty());
  CHECK(std::ranges::count_if(listed.out, [](const std::string& line) {
          return line.find("external:sound") != line.npos;
        }) == 1);
}
