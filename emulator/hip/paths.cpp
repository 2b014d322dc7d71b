#include "emulator/hip/paths.hpp"

#include <mutex>
#include <utility>

namespace fmha950::hip {
namespace {

struct Kept {
  std::mutex mutex;
  bool asked = false;
  std::string lines;
};
Kept& kept() {
  static Kept& instance = *new Kept;
  return instance;
}

} // namespace

std::string follow_paths(const std::string& text) {
  if (text != "0" && text != "1") return "must be 0 or 1";
  const std::lock_guard lock(kept().mutex);
  kept().asked = text == "1";
  return {};
}

std::unique_ptr<observe::FlightPaths> paths_of(const machine::Launch& launch) {
  const std::lock_guard lock(kept().mutex);
  return kept().asked ? std::make_unique<observe::FlightPaths>(launch) : nullptr;
}

void keep_paths(const observe::FlightPaths& paths) {
  const std::lock_guard lock(kept().mutex);
  kept().lines += paths.lines();
}

std::string take_paths() {
  const std::lock_guard lock(kept().mutex);
  return std::exchange(kept().lines, {});
}

} // namespace fmha950::hip
