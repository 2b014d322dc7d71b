#pragma once
// The program's command line: commands with their options. CLI11 does the work, but a file that includes it takes two
// seconds longer to compile. So command_line.cpp and reference.cpp alone do.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace fmha950::harness {

// An option or a flag. Each function restricts or describes it, and returns it.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required() const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option values(int least, int most) const;  // how many follow it; -1: any number
  Option default_text(const char* of) const; // the value of an option that no value follows
  Option comma_separated() const;            // the values of a list
  Option one_value_each() const;             // of a list: words behind a value are not its next ones

  Option positive() const;
  Option not_negative() const;
  template <class T> Option range(T least, T most) const;
  Option one_of(const std::vector<std::string>& words) const;
  // `complaint` says what is wrong with a value, "" if nothing is; `type` is what the help calls a value.
  Option check(const std::function<std::string(const std::string&)>& complaint, const char* type) const;

  Option show_default() const;           // in the help: the variable's value
  Option group(const char* title) const; // in the help

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  // The variable holds the default, and lives as long as the command line. A name without dashes is that of an argument.
  template <class T> Option option(const char* name, T& variable, const std::string& help);
  Option flag(const char* name, bool& variable, const std::string& help);
  Command command(const char* name, const std::string& help); // below this one
  void footer(const char* text);                              // of the help
  void takes_the_rest();                // of the line, options too, as a command of its own
  void run(std::function<void()> body); // what the command does

  // What the parsed line says:
  bool named() const;
  bool given(const char* option) const;
  std::vector<std::string> rest() const;

 private:
  CLI::App* app_;
};

class CommandLine {
 public:
  CommandLine(const char* name, const char* description, const char* version);
  ~CommandLine();
  Command program() { return Command(*app_); }
  std::string reference() const; // of all commands (commands.hpp)
  // Parses the line and runs the command that it names. Gives an exit code if it has only printed something: help, the
  // version, or what is wrong with the line. Throws InvalidInput for a first argument that is neither an option nor a
  // command: which there are, and the nearest.
  std::optional<int> run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

} // namespace fmha950::harness
