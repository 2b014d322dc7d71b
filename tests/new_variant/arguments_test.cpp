// What `./fmha950 new-variant` writes and what it refuses: then it says why, and writes nothing.
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

namespace {

struct Root {
  Finished new_variant(const std::string& arguments) const {
    return python(fmha950::source_path("templates/new_variant.py") + " " + arguments + " --root " +
                  quoted(folder.path()));
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }
  TemporaryFolder folder;
};

} // namespace

TEST_CASE("new-variant refuses arguments by their name, says what would be right, and writes nothing") {
  const auto [arguments, reason] = GENERATE(table<std::string, std::string>({
      {"Upper", "NAME Upper: must be small letters, digits and single underscores"},
      {"../up", "NAME ../up: must be small letters"},
      {"two__lines", "NAME two__lines: must be small letters"},
      {"1st", "NAME 1st: must be small letters"},
      {"''", "NAME : must be small letters"},
      {"int",
       "NAME int: is taken, by the language, a folder, a namespace, an implementation or a code object"},
      {"all", "NAME all: is taken"},
      {"attention", "NAME attention: is taken"},
      {"machine", "NAME machine: is taken"},
      {"baseline", "NAME baseline: is taken"},
      {"fused_software", "NAME fused_software: is taken"},
      {"prepass_relayout", "NAME prepass_relayout: is taken"},
      {"my_kernel --operator decode",
       "--operator decode: must be one of batch_prefill, append_prefill, sparse_prefill"},
      {"my_kernel --from pipelined", "--from pipelined: must be minimal or baseline"},
      {"my_kernel --from baseline --operator sparse_prefill",
       "--operator sparse_prefill: baseline has no kernels of it: must be batch_prefill or append_prefill, "
       "or "
       "--from minimal"},
  }));
  const Root root;
  const Finished refused = root.new_variant(arguments);
  CAPTURE(arguments, refused.output);
  CHECK(refused.status == 1);
  CHECK(refused.output.starts_with("fmha950: " + reason));
  CHECK(root.files().empty());
}

TEST_CASE("new-variant writes nothing over what is there") {
  const Root root;
  const Finished first = root.new_variant("my_kernel");
  CHECK(first.status == 0);
  CHECK(first.output.find("impl_my_kernel/my_kernel.cpp") != std::string::npos);
  CHECK(first.output.find("next: ./fmha950 accuracy batch_prefill/") != std::string::npos);
  const auto source = root.folder.path() / "impl_my_kernel/my_kernel.cpp";
  const std::string text = contents(source);
  CHECK(text.find("class MyKernelPlan") != std::string::npos);
  const Finished second = root.new_variant("my_kernel --operator append_prefill --from baseline");
  CHECK(second.status == 1);
  CHECK(second.output.find("exists, nothing was written") != std::string::npos);
  CHECK(contents(source) == text);
  CHECK_FALSE(std::filesystem::exists(root.folder.path() / "impl_my_kernel/append"));
}

TEST_CASE("new-variant refuses a name whose other names are taken") {
  const Root root;
  CHECK(root.new_variant("my_kernel_two_launch").status == 0);
  CHECK(root.new_variant("other_append").status == 0);
  const Finished copy = root.new_variant("my_kernel --operator append_prefill --from baseline");
  CHECK(copy.status == 1);
  CHECK(copy.output.find("would need the name my_kernel_two_launch, which is taken") != std::string::npos);
  CHECK(root.new_variant("other --operator append_prefill").status == 1);
  CHECK_FALSE(std::filesystem::exists(root.folder.path() / "impl_my_kernel"));
  CHECK_FALSE(std::filesystem::exists(root.folder.path() / "impl_other"));
}

TEST_CASE("a copy of baseline has one operator of it, and its name nowhere") {
  const auto [op, own, not_own] = GENERATE(table<std::string, std::string, std::string>({
      {"batch_prefill", "impl_my_kernel/attention.hip", "impl_my_kernel/append/append.hip"},
      {"append_prefill", "impl_my_kernel/append/append.hip", "impl_my_kernel/attention.hip"},
  }));
  const Root root;
  CHECK(root.new_variant("my_kernel --from baseline --operator " + op).status == 0);
  CHECK(std::filesystem::exists(root.folder.path() / own));
  CHECK_FALSE(std::filesystem::exists(root.folder.path() / not_own));
  for (const auto& path : root.files()) {
    CAPTURE(path);
    const std::string text = path.filename().string() + "\n" + contents(path);
    for (const std::string name : {"baseline", "Baseline", "BASELINE"})
      CHECK(text.find(name) == std::string::npos);
    CHECK(text.find(op == "batch_prefill" ? "append_prefill" : "batch_features") == std::string::npos);
  }
}
