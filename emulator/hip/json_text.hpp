#pragma once
// Text that may hold anything, as symbols and paths do, as a string of JSON with its quotes.

#include <nlohmann/json.hpp>
#include <string>

namespace fmha950::hip {

inline std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace fmha950::hip
