#include "harness/commands/command_name.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace fmha950::harness {

namespace {

const std::vector<std::string> of_the_launcher = {"build", "fuzz", "report", "test"};

// Letters to insert, to leave out or to replace.
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> distances(b.size() + 1); // from the letters of `a` so far to each beginning of `b`
  std::iota(distances.begin(), distances.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = distances[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = distances[j + 1];
      distances[j + 1] = std::min({replaced, diagonal + 1, distances[j] + 1});
    }
  }
  return distances.back();
}

// A word of which half the letters are others is no misspelling.
std::string question(const std::string& word, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(word, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  return 2 * distance(*nearest) <= word.size() ? fmt::format("; did you mean {}?", *nearest) : "";
}

} // namespace

void require_command(std::vector<std::string> names, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  if (std::ranges::find(names, word) != names.end()) return;
  if (std::ranges::find(of_the_launcher, word) != of_the_launcher.end())
    throw InvalidInput("command", word, fmt::format("must be given to the launcher: ./fmha950 {}", word));
  const std::string expected = fmt::format("must be one of {}, or of ./fmha950's own {}",
                                           fmt::join(names, ", "), fmt::join(of_the_launcher, ", "));
  names.insert(names.end(), of_the_launcher.begin(), of_the_launcher.end());
  throw InvalidInput("command", word, expected + question(word, names));
}

} // namespace fmha950::harness
