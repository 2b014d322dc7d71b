#include "emulator/hip/process_path.hpp"

#include <string_view>
#include <unistd.h>

namespace fmha950::hip {

std::string process_path(std::string path) {
  constexpr std::string_view process = "%p";
  for (size_t at = path.find(process); at != path.npos; at = path.find(process, at))
    path.replace(at, process.size(), std::to_string(getpid()));
  return path;
}

} // namespace fmha950::hip
