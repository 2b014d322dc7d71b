#include "emulator/hip/replay.hpp"

#include "emulator/hip/failures.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/memory_digest.hpp"
#include "emulator/hip/runtime.hpp"
#include "emulator/loader/code_object.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::hip {
namespace {

struct Kept {
  std::mutex mutex;
  std::string socket;                     // empty: nobody asks
  std::map<std::string, size_t> launches; // by kernel
  size_t in_all = 0;
};
Kept& kept() {
  static Kept& instance = *new Kept;
  return instance;
}

std::shared_timed_mutex& under_way() {
  static std::shared_timed_mutex& instance = *new std::shared_timed_mutex;
  return instance;
}

bool fits(const std::string& path) { return path.size() < sizeof(sockaddr_un::sun_path); }

int connected(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (socket >= 0 && connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  close(socket);
  return -1;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

void say_to(int socket, const std::string& line) {
  const std::string whole = line + "\n";
  (void)!write(socket, whole.data(), whole.size());
}

// False at the end of the connection.
bool read_line(int socket, std::string& line) {
  line.clear();
  for (char c = 0;;) {
    const ssize_t bytes = read(socket, &c, 1);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    if (c == '\n') return true;
    line += c;
  }
}

// What became of the launch with these options, in a process of its own.
std::string replayed(machine::Launch launch, const std::string& options) {
  try {
    std::istringstream words(options);
    for (std::string word; std::getline(words, word, '\t');) {
      const size_t equals = word.find('=');
      Runtime::get().set_option(word.substr(0, equals), equals == word.npos ? "" : word.substr(equals + 1));
    }
    Runtime::get().prepare(launch);
    Runtime::execute(launch);
    return "ended\t" + digest_of_memory();
  } catch (const std::exception& error) {
    return "failed\t" + one_line(error.what());
  }
}

// The process that keeps a launch. It has nothing of the program's but its memory: no files, no input, no group.
[[noreturn]] void serve(int socket, const machine::Launch& launch) {
  setsid();
  constexpr int own = 3;
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  if (socket != own) dup2(socket, own);
  close_range(own + 1, ~0U, 0);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  be_quiet(true);
  clear_hazards();
  for (std::string asked; read_line(own, asked);) {
    const size_t tab = std::min(asked.find('\t'), asked.size());
    const std::string seconds = asked.substr(0, tab);
    const pid_t child = fork();
    if (child == 0) {
      alarm(static_cast<unsigned>(std::strtoul(seconds.c_str(), nullptr, 10)));
      say_to(own, replayed(launch, asked.substr(std::min(tab + 1, asked.size()))));
      _exit(0);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (child < 0 || (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM))
      say_to(own, "failed\tthe process that made it again broke off");
    else if (!WIFEXITED(status))
      say_to(own, "failed\tdid not end within " + seconds + " s");
  }
  _exit(0);
}

} // namespace

std::string keep_launches_for(const std::string& socket) {
  if (!fits(socket)) return "must be the path of a Unix socket, which is shorter";
  Kept& of = kept();
  const std::lock_guard lock(of.mutex);
  of.socket = socket;
  return {};
}

LaunchUnderWay::LaunchUnderWay() : lock_(under_way()) {}

void keep_launch(const machine::Launch& launch, uint64_t number, const std::string& why_not) {
  Kept& of = kept();
  const std::lock_guard lock(of.mutex);
  if (of.socket.empty() || of.in_all == most_kept_in_all) return;
  if (of.launches[launch.kernel->name]++ >= most_kept_launches) return;
  ++of.in_all;
  // Not for ever: one that runs may wait for this one.
  const std::unique_lock alone(under_way(), std::chrono::seconds(1));
  // The one in between ends at once, so that the program has no child that it does not know.
  const pid_t between = fork();
  if (between == 0) {
    const int socket = connected(of.socket);
    if (socket < 0) _exit(0);
    say_to(socket, fmt::format("kept\t{}\t{}\t{}", launch.kernel->name, number, why_not));
    if (!why_not.empty() || fork() != 0) _exit(0);
    serve(socket, launch);
  }
  while (between > 0 && waitpid(between, nullptr, 0) < 0 && errno == EINTR) continue;
}

} // namespace fmha950::hip
