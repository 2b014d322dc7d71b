#include "interface/installation.hpp"

namespace fmha950 {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code unreadable; // /proc may be hidden; then only the repository counts
  return fs::read_symlink("/proc/self/exe", unreadable).parent_path();
}

fs::path find_share() {
  std::error_code unreadable;
  const fs::path folder = program_folder();
  const bool built_here = fs::exists(folder.parent_path() / "CMakeCache.txt", unreadable);
  const fs::path share = folder.parent_path().parent_path().parent_path() / "share" / "fmha950";
  return !folder.empty() && !built_here && fs::is_directory(share / "data", unreadable) ? share : fs::path();
}

} // namespace

const fs::path& installed_share() {
  static const fs::path share = find_share();
  return share;
}

fs::path project_path(std::string_view inside) {
  const fs::path& share = installed_share();
  return (share.empty() ? fs::path(FMHA950_SOURCE_DIR) : share) / inside;
}

fs::path source_commit_file() {
  const fs::path& share = installed_share();
  return (share.empty() ? program_folder().parent_path() : share) / "source_commit.txt";
}

} // namespace fmha950
