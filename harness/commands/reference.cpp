#include "harness/commands/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace fmha950::harness {
namespace {

struct NamedCommand {
  std::string words; // "device run"
  const CLI::App* app;
};

void add_commands(const CLI::App& app, const std::string& before, std::vector<NamedCommand>& all) {
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    const std::string words = before + command->get_name();
    all.push_back({words, command});
    add_commands(*command, words + " ", all);
  }
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() != command.get_help_ptr()->get_name() && !option->get_group().empty())
      options.push_back(option);
  return options;
}

std::string in_cell(std::string text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : c == '\n' ? " " : std::string(1, c);
  return cell;
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(fmt::format("`{}`", option->get_name()));
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The cells behind the option's name; equal for an option that several commands share.
std::string explanation(const CLI::Option& option) {
  const bool takes_value = option.get_type_size_max() > 0 && option.get_items_expected_max() > 0;
  std::string value = takes_value ? fmt::format("`{}`", in_cell(option.get_type_name())) : "";
  if (takes_value && option.get_items_expected_max() > 1) value += " ...";
  std::string meaning = in_cell(option.get_description());
  if (option.get_required()) meaning += ". Required";
  if (!option.get_default_str().empty())
    meaning += fmt::format(". Default: `{}`", in_cell(option.get_default_str()));
  if (!option.get_needs().empty()) meaning += fmt::format(". Needs {}", names_of(option.get_needs()));
  if (!option.get_excludes().empty())
    meaning += fmt::format(". Not with {}", names_of(option.get_excludes()));
  return fmt::format("{} | {}", value, meaning);
}

} // namespace

std::string reference_page(const CLI::App& program) {
  std::vector<NamedCommand> commands;
  add_commands(program, "", commands);
  std::map<std::string, std::vector<std::string>> users; // of an option with its explanation, commands
  for (const auto& [words, app] : commands)
    for (const CLI::Option* option : options_of(*app))
      users[option->get_name() + explanation(*option)].push_back(words);

  std::string page = "# Reference\n\nAll commands and options of the harness, printed by `./fmha950 "
                     "reference`; `./fmha950 COMMAND "
                     "--help` says the same. What commands are for: "
                     "[harness.md](harness.md). A test compares this page with the program.\n";
  std::string shared, own;
  for (const auto& [words, app] : commands) {
    own += fmt::format("\n## {}\n\n{}\n", words, app->get_description());
    std::vector<std::string> elsewhere;
    std::string rows;
    for (const CLI::Option* option : options_of(*app)) {
      const std::string name = option->get_name(), text = explanation(*option);
      const auto& by = users[name + text];
      if (by.size() == 1) {
        rows += fmt::format("| `{}` | {} |\n", name, text);
        continue;
      }
      elsewhere.push_back(fmt::format("`{}`", name));
      if (by.front() != words) continue;
      shared += fmt::format("| `{}` | {} | {} |\n", name, text, fmt::join(by, ", "));
    }
    if (!rows.empty()) own += fmt::format("\n| option | value | meaning |\n|---|---|---|\n{}", rows);
    if (!elsewhere.empty())
      own += fmt::format("\nAnd, of [several commands](#options-of-several-commands): {}.\n",
                         fmt::join(elsewhere, ", "));
  }
  return fmt::format(
      "{}{}\n## Options of several commands\n\n| option | value | meaning | of |\n|---|---|---|---|\n{}",
      page, own, shared);
}

} // namespace fmha950::harness
