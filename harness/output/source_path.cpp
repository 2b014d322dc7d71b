#include "harness/output/source_path.hpp"

namespace fmha950 {

std::string source_path(std::string_view inside) { return FMHA950_SOURCE_DIR "/" + std::string(inside); }

} // namespace fmha950
