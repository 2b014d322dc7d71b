#include "harness/external/child_program.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness::external {

namespace {

constexpr size_t most_words = 2000; // of stderr, that are kept
constexpr int not_started = 127;

// Behind a fork of a process with threads: nothing here allocates.
[[noreturn]] void become(char* const* arguments, const char* folder, int error_pipe) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(nothing, 1);
  dup2(error_pipe, 2);
  if (chdir(folder) == 0) execvp(arguments[0], arguments);
  dprintf(2, "%s: %s\n", arguments[0], std::strerror(errno));
  _exit(not_started);
}

// Reads until the pipe's last writer has gone or the time is over; whether it was in time.
bool read_to_end(int pipe, int seconds, std::string& text) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::seconds(seconds);
  for (char buffer[4096];;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd ready{pipe, POLLIN, 0};
    if (left <= 0) return false;
    const int polled = poll(&ready, 1, static_cast<int>(left));
    if (polled < 0 && errno != EINTR) return false;
    if (polled <= 0) continue;
    const ssize_t bytes = read(pipe, buffer, sizeof buffer);
    if (bytes <= 0) return true;
    text.append(buffer, static_cast<size_t>(bytes));
    if (text.size() > 2 * most_words) text.erase(0, text.size() - most_words);
  }
}

// The end of a text in one line, for a table.
std::string last_lines(const std::string& text) {
  constexpr size_t most_lines = 3;
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find_first_not_of(" \t\r") != line.npos)
      lines.push_back(line.substr(line.find_first_not_of(" \t\r")));
  std::string joined;
  for (size_t i = lines.size() - std::min(lines.size(), most_lines); i < lines.size(); ++i)
    joined += (joined.empty() ? "" : " | ") + lines[i];
  return joined.substr(joined.size() - std::min(joined.size(), most_words));
}

// Whether it ended by itself within the time that is left: one that closes stderr may go on for ever.
bool wait_for(pid_t child, int milliseconds, int& status) {
  for (int waited = 0;; waited += 10) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (waited >= milliseconds) return false;
    usleep(10'000);
  }
}

} // namespace

ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       int seconds) {
  ProgramEnd end;
  int errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0) {
    end.last_words = std::strerror(errno);
    return end;
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become(arguments.data(), folder.c_str(), errors[1]);
  close(errors[1]);
  if (child < 0) {
    end.last_words = std::strerror(errno);
    close(errors[0]);
    return end;
  }
  int status = 0;
  end.in_time = read_to_end(errors[0], seconds, end.last_words) && wait_for(child, 1000 * seconds, status);
  kill(-child, SIGKILL);
  if (!end.in_time) waitpid(child, &status, 0);
  close(errors[0]);
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  end.started = end.exit_code != not_started;
  end.last_words = last_lines(end.last_words);
  return end;
}

} // namespace fmha950::harness::external
