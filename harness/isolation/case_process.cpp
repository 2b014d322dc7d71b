#include "harness/isolation/case_process.hpp"

#include "harness/output/interruption.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness {

namespace {

constexpr double seconds_to_end = 10; // after the last record
constexpr int milliseconds_between_looks = 100;
constexpr size_t longest_words = 300;

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe(ends.data()) != 0)
      throw std::runtime_error(fmt::format("no pipe to a case's process: {}", std::strerror(errno)));
  }
};

#if __has_feature(thread_sanitizer)
constexpr int own_threads = 2; // the sanitizer's own, which comes along by itself
#else
constexpr int own_threads = 1;
#endif

void require_single_thread() {
  const auto threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  if (threads > own_threads)
    throw std::logic_error(
        fmt::format("a case's process is forked by one that has a single thread, not {}", threads));
}

double resident_bytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Reads what is there; false at the end.
bool read_some(int descriptor, std::string& bytes) {
  std::array<char, 1 << 16> block{};
  const ssize_t count = read(descriptor, block.data(), block.size());
  if (count > 0) bytes.append(block.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

[[noreturn]] void be_the_child(pid_t parent, int records, int text,
                               const std::function<void(const CaseSender&)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);                                  // it was gone before
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN); // sent to both: the parent decides
  dup2(text, STDERR_FILENO);
  // A file's lock lives as long as anybody has it open.
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(records) - 1, 0);
  close_range(static_cast<unsigned>(records) + 1, ~0U, 0);
  int code = 0;
  try {
    const CaseSender sender(records);
    work(sender);
    sender.end();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = 1;
  }
  std::exit(code);
}

} // namespace

void CaseSender::write_frame(char kind, const std::string& bytes) const {
  const uint64_t size = bytes.size();
  std::string frame(1, kind);
  frame.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(bytes);
  for (size_t written = 0; written < frame.size();) {
    const ssize_t count = write(descriptor_, frame.data() + written, frame.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::runtime_error(fmt::format("record not sent: {}", std::strerror(errno)));
    written += static_cast<size_t>(count);
  }
}

void CaseSender::send(const Record& record) const { write_frame('R', pack(record)); }
void CaseSender::allow(double seconds) const { write_frame('A', fmt::format("{}", seconds)); }
void CaseSender::end() const { write_frame('E', ""); }

CaseProcess::CaseProcess(const CaseLimits& limits, const std::function<void(const CaseSender&)>& work)
    : limits_(limits), allowed_(limits.seconds > 0 ? limits.seconds : seconds_to_prepare) {
  require_single_thread();
  const Pipe records, text;
  std::fflush(nullptr); // else both would write what waits
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ < 0) throw std::runtime_error(fmt::format("no process for a case: {}", std::strerror(errno)));
  if (child_ == 0) {
    close(records.ends[0]);
    close(text.ends[0]);
    be_the_child(parent, records.ends[1], text.ends[1], work);
  }
  close(records.ends[1]);
  close(text.ends[1]);
  records_ = records.ends[0];
  text_ = text.ends[0];
}

CaseProcess::~CaseProcess() {
  kill_child();
  close(records_);
  close(text_);
}

void CaseProcess::kill_child() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  wait_for_end();
}

int CaseProcess::wait_for_end() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

CaseProcess::Event CaseProcess::next(const std::function<void()>& before_text) {
  while (true) {
    count_time();
    if (std::optional<Event> event = take_frame()) return std::move(*event);
    if (interrupting_signal() != 0) return Interrupted{};
    if (closed_ || (all_ && waited_ > seconds_to_end)) {
      pass_on_text(before_text);
      if (all_) return Done{};
      return death();
    }
    if (const std::optional<Outcome> outcome = beyond_limits()) {
      kill_child();
      return *outcome;
    }
    std::array<pollfd, 2> waits{{{records_, POLLIN, 0}, {text_, POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), milliseconds_between_looks) <= 0) continue;
    if (waits[1].revents & POLLIN) pass_on_text(before_text);
    if (waits[0].revents != 0) read_records();
  }
}

void CaseProcess::read_records() { closed_ = !read_some(records_, frames_); }

std::optional<CaseProcess::Event> CaseProcess::take_frame() {
  constexpr size_t head = 1 + sizeof(uint64_t);
  while (frames_.size() >= head) {
    uint64_t size = 0;
    std::memcpy(&size, frames_.data() + 1, sizeof(size));
    if (frames_.size() < head + size) break;
    const char kind = frames_.front();
    const std::string bytes = frames_.substr(head, size);
    frames_.erase(0, head + size);
    waited_ = 0;
    if (kind == 'R') return unpack(bytes);
    if (kind == 'E') all_ = true;
    if (kind == 'A' && limits_.seconds <= 0) allowed_ = std::strtod(bytes.c_str(), nullptr);
  }
  return {};
}

// Never more than a look takes: a process that was stopped did not wait.
void CaseProcess::count_time() {
  const Clock::time_point now = Clock::now();
  waited_ +=
      std::min(std::chrono::duration<double>(now - last_look_).count(), 2e-3 * milliseconds_between_looks);
  last_look_ = now;
}

std::optional<Outcome> CaseProcess::beyond_limits() {
  if (all_) return {};
  if (waited_ > allowed_)
    return Outcome::failed(OutcomeKind::timed_out,
                           fmt::format("no result within {:g} s; --case-timeout allows more", allowed_));
  constexpr double one_gib = 1 << 30;
  const double resident = resident_bytes(child_);
  if (limits_.bytes > 0 && resident > limits_.bytes)
    return Outcome::failed(
        OutcomeKind::not_run,
        fmt::format("memory: the case took {:.1f} GiB, more than the {:.1f} GiB that it may take; --memory "
                    "allows more",
                    resident / one_gib, limits_.bytes / one_gib));
  return {};
}

// All that is there. The last line that says something is kept for an obituary.
void CaseProcess::pass_on_text(const std::function<void()>& before_text) {
  pollfd wait{text_, POLLIN, 0};
  std::string text;
  while (poll(&wait, 1, 0) > 0 && (wait.revents & POLLIN) && read_some(text_, text)) {
  }
  if (text.empty()) return;
  if (before_text) before_text();
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
  for (const char letter : text) {
    if (letter != '\n') {
      line_ += letter;
    } else {
      if (!line_.empty()) last_line_ = line_;
      line_.clear();
    }
  }
}

std::string CaseProcess::last_words() const {
  const std::string& words = line_.empty() ? last_line_ : line_;
  return words.empty() ? "" : fmt::format("; its last words: {}", words.substr(0, longest_words));
}

Outcome CaseProcess::death() {
  const int status = wait_for_end();
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                          : fmt::format("with exit code {}", WEXITSTATUS(status));
  return Outcome::failed(OutcomeKind::not_run, fmt::format("its process ended {}{}", how, last_words()));
}

} // namespace fmha950::harness
