#include "harness/commands/command_line.hpp"

#include "harness/commands/commands.hpp"
#include "interface/error.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>

namespace fmha950::harness {

namespace {

const std::vector<std::string> of_the_launcher = {"build",  "fuzz",    "hipcc", "new-variant", "python",
                                                  "report", "results", "sweep", "test"};

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

// If half the letters of a word differ, it is no misspelling.
std::string question(const std::string& word, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(word, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  return 2 * distance(*nearest) <= word.size() ? fmt::format("; did you mean {}?", *nearest) : "";
}

// CLI11 would only say that some command is required.
void require_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return;
  if (std::ranges::find(of_the_launcher, word) != of_the_launcher.end())
    throw InvalidInput("command", word, fmt::format("must be given to the launcher: ./fmha950 {}", word));
  const std::string expected = fmt::format("must be one of {}, or of ./fmha950's own {}",
                                           fmt::join(names, ", "), fmt::join(of_the_launcher, ", "));
  names.insert(names.end(), of_the_launcher.begin(), of_the_launcher.end());
  throw InvalidInput("command", word, expected + question(word, names));
}

} // namespace

Option Option::required() const { return Option(*option_->required()); }
Option Option::needs(Option other) const { return Option(*option_->needs(other.option_)); }
Option Option::excludes(Option other) const { return Option(*option_->excludes(other.option_)); }
Option Option::values(int least, int most) const { return Option(*option_->expected(least, most)); }
Option Option::default_text(const char* of) const { return Option(*option_->default_str(of)); }
Option Option::comma_separated() const { return Option(*option_->delimiter(',')); }
Option Option::one_value_each() const { return Option(*option_->allow_extra_args(false)); }
Option Option::positive() const { return Option(*option_->check(CLI::PositiveNumber)); }
Option Option::not_negative() const { return Option(*option_->check(CLI::NonNegativeNumber)); }
template <class T> Option Option::range(T least, T most) const {
  return Option(*option_->check(CLI::Range(least, most)));
}
template Option Option::range(int, int) const;
template Option Option::range(double, double) const;
Option Option::one_of(const std::vector<std::string>& words) const {
  return Option(*option_->check(CLI::IsMember(words)));
}
Option Option::check(const std::function<std::string(const std::string&)>& complaint,
                     const char* type) const {
  return Option(*option_->check(CLI::Validator(complaint, type)));
}
Option Option::show_default() const { return Option(*option_->capture_default_str()); }
Option Option::group(const char* title) const { return Option(*option_->group(title)); }

template <class T> Option Command::option(const char* name, T& variable, const std::string& help) {
  return Option(*app_->add_option(name, variable, help));
}
template Option Command::option(const char*, std::string&, const std::string&);
template Option Command::option(const char*, std::optional<std::string>&, const std::string&);
template Option Command::option(const char*, std::vector<std::string>&, const std::string&);
template Option Command::option(const char*, double&, const std::string&);
template Option Command::option(const char*, int&, const std::string&);
template Option Command::option(const char*, int64_t&, const std::string&);
template Option Command::option(const char*, uint32_t&, const std::string&);
template Option Command::option(const char*, uint64_t&, const std::string&);

Option Command::flag(const char* name, bool& variable, const std::string& help) {
  return Option(*app_->add_flag(name, variable, help));
}
Command Command::command(const char* name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help));
}
void Command::footer(const char* text) { app_->footer(text); }
void Command::takes_the_rest() { app_->prefix_command(); }
void Command::run(std::function<void()> body) { app_->callback(std::move(body)); }
bool Command::named() const { return app_->parsed(); }
bool Command::given(const char* option) const { return app_->count(option) > 0; }
std::vector<std::string> Command::rest() const { return app_->remaining(); }

CommandLine::CommandLine(const char* name, const char* description, const char* version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;
std::string CommandLine::reference() const { return reference_page(*app_); }

std::optional<int> CommandLine::run(int argc, const char* const* argv) {
  require_command(*app_, argc, argv);
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app_->exit(error);
  }
}

} // namespace fmha950::harness
