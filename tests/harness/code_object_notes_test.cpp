// What scripts read of code objects without LLVM's programs.
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>

namespace {

const std::filesystem::path file = CODE_OBJECTS "/prepass_attention_bf16.co";

// Each line of llvm-readobj that has this key, without it.
std::vector<std::string> values_of(const std::string& notes, const std::string& key) {
  std::istringstream lines(notes);
  std::vector<std::string> values;
  for (std::string line; std::getline(lines, line);)
    if (const size_t place = line.find(" " + key); place != line.npos)
      values.push_back(line.substr(line.find_first_not_of(' ', place + 1 + key.size())));
  return values;
}

} // namespace

TEST_CASE("a code object's metadata are what llvm-readobj says") {
  const TemporaryFolder folder;
  const auto notes_file = folder.path() / "notes";
  REQUIRE(std::system((LLVM_READOBJ " --notes " + quoted(file) + " >" + quoted(notes_file)).c_str()) == 0);
  const std::string notes = contents(notes_file);
  const Finished read = analysis("kernel_resources.py " + quoted(file));
  CHECK(read.status == 0);
  const auto vgprs = values_of(notes, ".vgpr_count:"), agprs = values_of(notes, ".agpr_count:"),
             sgprs = values_of(notes, ".sgpr_count:"), lds = values_of(notes, ".group_segment_fixed_size:");
  REQUIRE(!vgprs.empty());
  for (size_t i = 0; i < vgprs.size(); ++i)
    CHECK_THAT(read.output, Catch::Contains(" | " + vgprs[i] + " | " + agprs[i] + " | " + sgprs[i] + " | " +
                                            lds[i] + " | "));
}

TEST_CASE("what is no code object, or a part of one, is refused by name") {
  const TemporaryFolder folder;
  for (const std::string& bytes :
       {std::string("\x7f\x45LF"), contents(file).substr(0, 1000), std::string()}) {
    const Finished refused = analysis("kernel_resources.py " + quoted(folder.write("bad.co", bytes)));
    CAPTURE(bytes.size(), refused.output);
    CHECK(refused.status == 1);
    CHECK_THAT(refused.output, Catch::Contains("bad.co: no metadata of kernels can be read: "));
  }
}
