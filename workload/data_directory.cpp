#include "workload/data_directory.hpp"

#include "interface/error.hpp"

#include <cstdlib>
#include <vector>

namespace fmha950::workload {

std::filesystem::path data_directory() {
  // A value that was set is not second-guessed: a wrong one is an error, not a reason to look elsewhere.
  if (const char* set = std::getenv("FMHA950_DATA")) {
    if (std::filesystem::is_directory(set)) return set;
    throw InvalidInput("FMHA950_DATA", set, "must be a folder that holds traces/, cases/ and activations/");
  }
  std::error_code unreadable; // /proc may be hidden; then only the configured place counts
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  const std::vector<std::filesystem::path> places{FMHA950_SOURCE_DATA,
                                                  program.parent_path().parent_path() / "share/fmha950"};
  std::string tried;
  for (const auto& place : places) {
    if (std::filesystem::is_directory(place)) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw InvalidInput("data folder", tried, "none of these exists; set FMHA950_DATA to the project's data/");
}

std::filesystem::path data_file(std::string_view relative) {
  auto path = data_directory() / relative;
  if (std::filesystem::is_regular_file(path)) return path;
  throw InvalidInput("data file", path.string(), "does not exist");
}

} // namespace fmha950::workload
