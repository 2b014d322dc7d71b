#include "harness/report/terminal.hpp"

#include <algorithm>
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

namespace {

// Every line but the first begins with `hang` more spaces than the first.
void print_broken(std::FILE* out, std::string_view text, size_t width, int indent, int hang) {
  for (int margin = indent;; margin = indent + hang) {
    const size_t room = width - std::min(width, static_cast<size_t>(margin));
    size_t end = text.size();
    if (end > room) end = text.rfind(' ', room);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size()); // a word alone is longer
    fmt::print(out, "{:{}}{}\n", "", margin, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (text.empty()) return;
  }
}

} // namespace

void print_wrapped(std::FILE* out, std::string_view text) {
  constexpr int where_there_is_no_limit = 150;
  print_broken(out, text, static_cast<size_t>(columns_of(out).value_or(where_there_is_no_limit)), 0, 0);
}

void print_result_line(std::FILE* out, std::string_view text, int indent) {
  constexpr int hang = 4;
  const std::optional<int> columns = columns_of(out);
  print_broken(out, text, columns ? static_cast<size_t>(*columns) : text.size() + static_cast<size_t>(indent),
               indent, hang);
}

std::string coloured(std::FILE* out, OutcomeKind kind, const std::string& text) {
  const char* const refused = std::getenv("NO_COLOR");
  const bool wanted = isatty(fileno(out)) == 1 && (refused == nullptr || *refused == '\0');
  if (!wanted || kind == OutcomeKind::unsupported) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", kind == OutcomeKind::passed ? 32 : 31, text);
}

} // namespace fmha950::harness
