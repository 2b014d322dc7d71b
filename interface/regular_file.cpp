#include "interface/regular_file.hpp"

#include "interface/error.hpp"

namespace fmha950 {

std::string kind_of_irregular_file(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code error; // then the path is as good as not there, and whoever opens it says why
  switch (std::filesystem::status(path, error).type()) {
  case file_type::none:
  case file_type::not_found:
  case file_type::regular: return "";
  case file_type::directory: return "a directory";
  case file_type::fifo: return "a named pipe";
  case file_type::socket: return "a socket";
  case file_type::block:
  case file_type::character: return "a device";
  default: return "a special file";
  }
}

void require_regular_file(std::string_view field, const std::filesystem::path& path) {
  if (const std::string kind = kind_of_irregular_file(path); !kind.empty())
    throw InvalidInput(std::string(field), path.string(), "must be a regular file, and is " + kind);
}

void refuse_file(const std::filesystem::path& path, std::string value, std::string expected) {
  throw InvalidInput("file " + path.string(), std::move(value), std::move(expected));
}

} // namespace fmha950
