#include "harness/cure/source_statement.hpp"

#include "interface/installation.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>

namespace fmha950::harness::cure {
namespace {

constexpr size_t most_lines_of_statement = 60;

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find("//")));
  return lines;
}

bool has(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

// "s_nop", "NOP", and not "nope" or "synopsis".
bool has_nop(std::string_view text) {
  constexpr std::string_view word = "nop";
  const auto is_letter = [&](size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

} // namespace

const std::vector<std::string>& Sources::lines_of(const std::string& path) {
  const auto [known, is_new] = files_.try_emplace(path);
  if (!is_new) return known->second;
  known->second = read_lines(path);
  if (known->second.empty()) known->second = read_lines(project_path(path));
  return known->second;
}

std::optional<std::string> Sources::statement(const std::string& path_and_line) {
  const size_t colon = path_and_line.rfind(':');
  if (colon == path_and_line.npos) return {};
  size_t line = 0;
  std::from_chars(path_and_line.data() + colon + 1, path_and_line.data() + path_and_line.size(), line);
  const std::vector<std::string>& lines = lines_of(path_and_line.substr(0, colon));
  if (line == 0 || line > lines.size()) return {};
  std::string text;
  ptrdiff_t open = 0;
  for (size_t i = line - 1; i < std::min(lines.size(), line - 1 + most_lines_of_statement); ++i) {
    text += lines[i] + "\n";
    open += std::ranges::count(lines[i], '(') - std::ranges::count(lines[i], ')');
    if (open <= 0) break;
  }
  return text;
}

bool asks_for(std::string_view statement, std::string_view field) {
  std::string text(statement);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (field == "barrier") return has(text, "barrier") || has(text, "sync");
  if (field == "nop") return has_nop(text);
  return has(text, "wait") && (has(text, field) || (!has(text, "vmcnt") && !has(text, "lgkmcnt")));
}

} // namespace fmha950::harness::cure
