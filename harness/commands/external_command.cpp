// `external`: help for those who write manifests.
#include "harness/commands/commands.hpp"
#include "harness/external/manifest_new.hpp"
#include "interface/error.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

// A kernel that is not named is the only one.
int print_new(const std::string& file, const std::string& kernel) {
  const CodeObjectFile object = read_code_object_file(file);
  fmt::print("{}",
             external::new_manifest(std::filesystem::path(file).filename().string(), object.kernel(kernel)));
  return 0;
}

} // namespace

void add_external_command(Command program, int& exit_code) {
  Command external =
      program.command("external", "Help for manifests of your own kernels (docs/your_kernel.md)");
  Command made = external.command("new", "Print a manifest to begin with, from a code object's metadata");
  external.footer(
      "The launcher ./fmha950 has two more:\n"
      "  external check FOLDER CASE...   Says of its manifests what is not expressed, ambiguous or wrong\n"
      "  external capture ...            Makes a manifest of what a program launches; see its --help");
  auto file = std::make_shared<std::string>(), kernel = std::make_shared<std::string>();
  made.option("object", *file, "Code object (.co, .hsaco), which is to lie beside the manifest").required();
  made.option("--kernel", *kernel, "Its kernel; may be left out if there is only one");
  made.run([file, kernel, &exit_code] { exit_code = print_new(*file, *kernel); });
  external.run([made] {
    if (!made.named()) throw InvalidInput("external", "", "must be followed by new, check or capture");
  });
}

} // namespace fmha950::harness
