#include "harness/cases/folder_digest.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::harness {

std::string digest_of_folder(const std::filesystem::path& folder) {
  std::set<std::string> files;
  std::error_code error; // of a folder that is none, which fails when it is loaded
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::error_code of_file;
    files.insert(fmt::format("{} {} {}", entry.path().filename().string(), entry.file_size(of_file),
                             entry.last_write_time(of_file).time_since_epoch().count()));
  }
  size_t digest = 0;
  for (const std::string& file : files) digest = digest * 31 + std::hash<std::string>{}(file);
  return fmt::format(" # {} {:016x}", std::filesystem::absolute(folder, error).string(), digest);
}

} // namespace fmha950::harness
