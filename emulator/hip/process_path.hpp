#pragma once
// Names of files that each process has for itself.

#include <string>

namespace fmha950::hip {

// `path` with the calling process's number for each %p.
std::string process_path(std::string path);

} // namespace fmha950::hip
