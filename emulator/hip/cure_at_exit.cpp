#include "emulator/hip/cure_at_exit.hpp"

#include "emulator/hip/failures.hpp"
#include "emulator/hip/hazards.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <spawn.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fmha950::hip {
namespace {

namespace fs = std::filesystem;

struct Start { // how to run the program again, as it was at its first HIP call
  pid_t process = 0;
  std::vector<std::string> command;
  std::string folder;
};

std::mutex mutex;
bool wanted = false;
Start& start() {
  static Start& instance = *new Start;
  return instance;
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

fs::path own_library() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&own_library), &info) == 0) return {};
  std::error_code none;
  return fs::canonical(info.dli_fname, none);
}

// Beside the library, in a build folder and where it is installed alike.
fs::path harness() {
  return own_library().parent_path().parent_path().parent_path() / "bin" / "fmha950-harness";
}

// What single words need in a shell, so that a line can be pasted.
std::string in_shell(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

// A pipe, or a file of which something was read: a new run would not find it there.
bool has_read_input() {
  struct stat status;
  if (fstat(STDIN_FILENO, &status) != 0) return false;
  if (S_ISREG(status.st_mode)) return lseek(STDIN_FILENO, 0, SEEK_CUR) > 0;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

// "", or why nothing is started.
std::string obstacle(const fs::path& program) {
  if (std::getenv("FMHA950_MUTANT")) return "FMHA950_MUTANT is set, which the search sets itself";
  if (start().command.empty()) return "/proc/self/cmdline does not say how it was started";
  if (access(program.c_str(), X_OK) != 0) return fmt::format("there is no {}", program.string());
  if (has_read_input())
    return "its standard input is a pipe or a file that it has read, which a new run cannot read again";
  return {};
}

// Without what would write the program's own files anew, or change what is looked for.
std::vector<std::string> environment_of_search() {
  constexpr std::array<std::string_view, 11> not_for_it = {
      "FMHA950_CURE=",   "FMHA950_REPORT=",        "FMHA950_TRACE=",      "FMHA950_LAUNCHES=",
      "FMHA950_TIMING=", "FMHA950_TIMING_REPORT=", "FMHA950_BREAK=",      "FMHA950_MUTANT=",
      "FMHA950_REPLAY=", "FMHA950_DOUBT=",         "FMHA950_HIP_LIBRARY="};
  std::vector<std::string> all = {"FMHA950_HIP_LIBRARY=" + own_library().string()};
  for (char** entry = environ; *entry; ++entry)
    if (std::ranges::none_of(
            not_for_it, [&](std::string_view name) { return std::string_view(*entry).starts_with(name); }))
      all.emplace_back(*entry);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// With what it prints on this program's stderr, and no input. 0, or the error's number.
int spawn(std::vector<std::string> words, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  if (!start().folder.empty()) posix_spawn_file_actions_addchdir_np(&files, start().folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, interrupting;
  sigemptyset(&none);
  sigemptyset(&interrupting);
  sigaddset(&interrupting, SIGINT);
  sigaddset(&interrupting, SIGQUIT);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &interrupting);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> environment = environment_of_search();
  const int error = posix_spawn(&child, words.front().c_str(), &files, &attributes, pointers(words).data(),
                                pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

// As system() waits: Ctrl-C is for the child, which ends with what it has.
void run(const std::vector<std::string>& words) {
  struct sigaction ignore = {}, on_interrupt, on_quit;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &on_interrupt);
  sigaction(SIGQUIT, &ignore, &on_quit);
  pid_t child = 0;
  if (const int error = spawn(words, child); error != 0)
    say(fmt::format("fmha950: FMHA950_CURE: cannot start {}: {}", words.front(), std::strerror(error)));
  else
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  sigaction(SIGINT, &on_interrupt, nullptr);
  sigaction(SIGQUIT, &on_quit, nullptr);
}

void at_exit() {
  if (getpid() != start().process) return; // a fork: its parent does it
  const size_t errors = errors_found();
  const fs::path program = harness();
  std::error_code none;
  // The harness looks for cures when it is told to, and is no program to be run anew.
  if (errors == 0 || fs::equivalent("/proc/self/exe", program, none)) return;
  std::vector<std::string> words = {program.string(), "cure", "--brief", "program"};
  words.insert(words.end(), start().command.begin(), start().command.end());
  const std::string why_not = obstacle(program);
  say(fmt::format("fmha950: FMHA950_CURE: {} finding{} of severity error. {}", errors, errors == 1 ? "" : "s",
                  why_not.empty() ? "This program is run anew, by"
                                  : "Not looked for cures, as " + why_not + ". By hand:"));
  std::fprintf(stderr, "  %s\n", in_shell(words).c_str());
  std::fflush(nullptr);
  if (why_not.empty()) run(words);
}

} // namespace

std::string cure_at_exit(const std::string& value) {
  if (value != "0" && value != "1") return "must be 0 or 1";
  const std::lock_guard lock(mutex);
  wanted = value == "1";
  if (!wanted || start().process != 0) return {};
  std::error_code none;
  start() = {getpid(), own_command(), fs::current_path(none).string()};
  std::atexit([] {
    if (is_cured_at_exit()) at_exit();
  });
  return {};
}

bool is_cured_at_exit() {
  const std::lock_guard lock(mutex);
  return wanted;
}

} // namespace fmha950::hip
