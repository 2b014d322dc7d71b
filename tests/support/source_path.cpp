#include "tests/support/source_path.hpp"

std::string source_path(std::string_view inside) { return FMHA950_SOURCE_DIR "/" + std::string(inside); }
