#include "harness/external/child_program.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness::external {

namespace {

constexpr size_t most_words = 2000; // of stderr, that are kept
constexpr int not_started = 127;

using Clock = std::chrono::steady_clock;

// Behind a fork of a process with threads: nothing here allocates.
[[noreturn]] void become(char* const* arguments, const char* folder, const char* output, int error_pipe) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // who is killed leaves no planner behind
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
  dup2(error_pipe, 2);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); // others wait for the end of files that are open here
  if (chdir(folder) == 0) execvp(arguments[0], arguments);
  dprintf(2, "%s: %s\n", arguments[0], std::strerror(errno));
  _exit(not_started);
}

bool has_ended(pid_t child) { // it stays a zombie, whose number nobody else gets
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

// Keeps the end of what is there to read; whether there may be more.
bool read_some(int pipe, std::string& text) {
  char buffer[4096];
  const ssize_t bytes = read(pipe, buffer, sizeof buffer);
  if (bytes <= 0) return bytes < 0 && errno == EINTR;
  text.append(buffer, static_cast<size_t>(bytes));
  if (text.size() > 2 * most_words) text.erase(0, text.size() - most_words);
  return true;
}

// Until the child has ended, or the time is over; whether it was in time. What it wrote is then in the pipe: children that
// it has left may hold that open for ever.
bool watch(pid_t child, int pipe, Clock::time_point end, std::string& text) {
  constexpr int between_looks = 10; // milliseconds
  for (bool open = true, ended = false;;) {
    ended = ended || has_ended(child);
    pollfd ready{pipe, POLLIN, 0};
    const int polled = poll(&ready, open ? 1 : 0, ended ? 0 : between_looks);
    if (polled > 0)
      open = read_some(pipe, text);
    else if (ended)
      return true;
    if (Clock::now() >= end) return ended;
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
  // Of a program's text nothing moves the cursor of a terminal.
  std::ranges::replace_if(joined, [](char c) { return (c & 0xe0) == 0 || c == 0x7f; }, ' ');
  return joined.substr(joined.size() - std::min(joined.size(), most_words));
}

} // namespace

ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       int seconds, const std::string& output) {
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
  if (child == 0) become(arguments.data(), folder.c_str(), output.c_str(), errors[1]);
  close(errors[1]);
  if (child < 0) {
    end.last_words = std::strerror(errno);
    close(errors[0]);
    return end;
  }
  int status = 0;
  end.in_time = watch(child, errors[0], Clock::now() + std::chrono::seconds(seconds), end.last_words);
  kill(-child, SIGKILL); // and what it has left
  waitpid(child, &status, 0);
  close(errors[0]);
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  end.started = end.exit_code != not_started;
  end.last_words = last_lines(end.last_words);
  return end;
}

} // namespace fmha950::harness::external
