#pragma once
// Where files of this project lie at run time: in the repository that was built, or where `cmake --install` has put them.

#include <filesystem>
#include <string_view>

namespace fmha950 {

// PREFIX/share/fmha950 of a program in PREFIX/lib/fmha950/bin; empty for one in a build folder.
const std::filesystem::path& installed_share();

// "data", "analysis/report.py": of the installation, else of the repository as it was configured, whole.
std::filesystem::path project_path(std::string_view inside);

// "COMMIT SECONDS" of what was built (cmake/SourceCommit.cmake), beside the programs.
std::filesystem::path source_commit_file();

} // namespace fmha950
