#include "emulator/hip/breakpoints.hpp"

#include "emulator/loader/code_object.hpp"

#include <cstdio>
#include <mutex>
#include <optional>

namespace fmha950::hip {
namespace {

struct Asked {
  std::mutex mutex;
  std::string text;
  std::optional<observe::BreakPlace> place;
};
Asked& asked() {
  static Asked& instance = *new Asked;
  return instance;
}

} // namespace

std::string break_at(const std::string& text) {
  std::optional<observe::BreakPlace> place;
  std::string error;
  if (!text.empty() && !observe::parse_break(text, place.emplace(), error)) return error;
  const std::lock_guard lock(asked().mutex);
  asked().text = text;
  asked().place = std::move(place);
  return {};
}

std::unique_ptr<observe::Breakpoint> breakpoint_of(const machine::Launch& launch) {
  const std::lock_guard lock(asked().mutex);
  if (!asked().place) return nullptr;
  auto made = std::make_unique<observe::Breakpoint>(
      launch, *asked().place, [](const std::string& text) { std::fputs(text.c_str(), stderr); });
  if (made->somewhere()) return made;
  std::fprintf(stderr, "break %s: not in kernel %s\n", asked().text.c_str(), launch.kernel->name.c_str());
  return nullptr;
}

} // namespace fmha950::hip
