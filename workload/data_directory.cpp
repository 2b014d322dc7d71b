#include "workload/data_directory.hpp"

#include "interface/error.hpp"
#include "interface/installation.hpp"

#include <cstdlib>

namespace fmha950::workload {

std::filesystem::path data_directory() {
  // A value that was set is not second-guessed: a wrong one is an error, not a reason to look elsewhere.
  if (const char* set = std::getenv("FMHA950_DATA")) {
    if (std::filesystem::is_directory(set)) return set;
    throw InvalidInput("FMHA950_DATA", set, "must be a folder that holds traces/, cases/ and activations/");
  }
  const auto place = project_path("data");
  if (std::filesystem::is_directory(place)) return place;
  throw InvalidInput("data folder", place.string(),
                     "does not exist; set FMHA950_DATA to the project's data/");
}

std::filesystem::path data_file(std::string_view relative) {
  auto path = data_directory() / relative;
  if (std::filesystem::is_regular_file(path)) return path;
  throw InvalidInput("data file", path.string(), "does not exist");
}

} // namespace fmha950::workload
