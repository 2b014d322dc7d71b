#include "harness/output/whole_file.hpp"

#include "interface/error.hpp"
#include "interface/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace fmha950::harness {

void require_writable(const std::string& field, const std::filesystem::path& file, bool replace) {
  if (const std::string irregular = kind_of_irregular_file(file); !irregular.empty())
    throw InvalidInput(field, file.string(), "must be a regular file, and is " + irregular);
  if (!replace && std::filesystem::exists(file))
    throw InvalidInput(field, file.string(), "exists: add --overwrite to replace it");
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (access(folder.c_str(), W_OK) != 0)
    throw InvalidInput(field, file.string(),
                       fmt::format("cannot be written: {}: {}", folder.string(), std::strerror(errno)));
}

void write_whole(const std::string& field, const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path unfinished = file.string() + fmt::format(".{}.tmp", getpid());
  std::ofstream out(unfinished);
  out << text;
  if (!out.flush()) {
    std::filesystem::remove(unfinished);
    throw InvalidInput(field, file.string(), "must be a file that can be written");
  }
  std::filesystem::rename(unfinished, file);
}

} // namespace fmha950::harness
