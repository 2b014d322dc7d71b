#include "harness/report/terminal.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace fmha950::harness {

std::optional<int> columns_of(std::FILE* out) {
  if (const char* given = std::getenv("COLUMNS"); given != nullptr)
    if (const int columns = std::atoi(given); columns > 0) return columns;
  struct winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return {};
}

std::string coloured(std::FILE* out, OutcomeKind kind, const std::string& text) {
  const char* const refused = std::getenv("NO_COLOR");
  const bool wanted = isatty(fileno(out)) == 1 && (refused == nullptr || *refused == '\0');
  if (!wanted || kind == OutcomeKind::unsupported) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", kind == OutcomeKind::passed ? 32 : 31, text);
}

} // namespace fmha950::harness
