#include "harness/probe/workers.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness {

namespace {

struct Worker {
  pid_t process = 0;
  int answer = -1; // read end of its pipe
};

[[noreturn]] void fail(const char* call) {
  throw std::runtime_error(fmt::format("{}: {}", call, std::strerror(errno)));
}

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0) _exit(1);
    done += static_cast<size_t>(written);
  }
}

constexpr int watch_milliseconds = 1000;

std::string read_all(int file, const std::function<void()>& watch) {
  std::string text;
  char buffer[4096];
  for (ssize_t bytes = 1; bytes > 0;) {
    pollfd waiting{file, POLLIN, 0};
    if (poll(&waiting, 1, watch_milliseconds) <= 0) { // the time is over, or a signal came
      watch();
      continue;
    }
    bytes = read(file, buffer, sizeof buffer);
    if (bytes > 0) text.append(buffer, static_cast<size_t>(bytes));
  }
  close(file);
  return text;
}

Worker start(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) fail("pipe");
  const pid_t process = fork();
  if (process < 0) fail("fork");
  if (process > 0) {
    close(ends[1]);
    return {process, ends[0]};
  }
  // _exit: what the parent's destructors own is not this process's to clean up.
  try {
    write_all(ends[1], work());
  } catch (const std::exception& error) {
    fmt::print(stderr, "worker: {}\n", error.what());
    _exit(1);
  }
  _exit(0);
}

} // namespace

std::vector<std::string>
run_workers(size_t count, size_t end,
            const std::function<std::string(size_t worker, SharedState& state)>& work,
            const std::function<void(size_t done)>& watch) {
  void* page = mmap(nullptr, sizeof(SharedState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) fail("mmap");
  const auto unmap = [](SharedState* state) { munmap(state, sizeof(SharedState)); };
  const std::unique_ptr<SharedState, decltype(unmap)> state(new (page) SharedState(end), unmap);
  const auto look = [&] {
    if (watch) watch(state->done());
  };
  std::fflush(nullptr); // or every copy would print it again
  std::vector<Worker> workers;
  for (size_t i = 0; i < count; ++i) workers.push_back(start([&] { return work(i, *state); }));
  std::vector<std::string> answers;
  std::string failure;
  for (const Worker& worker : workers) {
    answers.push_back(read_all(worker.answer, look));
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
      failure = fmt::format("a worker was ended by signal {}", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
      failure = fmt::format("a worker ended with code {}", WEXITSTATUS(status));
  }
  if (!failure.empty()) throw std::runtime_error(failure);
  return answers;
}

} // namespace fmha950::harness
