#pragma once
// A folder of its own, which goes with everything in it.

#include "interface/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace fmha950 {

class TemporaryFolder {
 public:
  // `what` it is for stands in its name. Throws DeviceError if it cannot be made.
  explicit TemporaryFolder(const std::string& what) {
    std::string name = (std::filesystem::temp_directory_path() / ("fmha950-" + what + "-XXXXXX")).string();
    if (!mkdtemp(name.data())) throw DeviceError(name + ": cannot make it: " + std::strerror(errno));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

} // namespace fmha950
