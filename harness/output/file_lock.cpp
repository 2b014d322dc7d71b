#include "harness/output/file_lock.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fmha950::harness {

namespace {

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.empty()) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string this_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}, since {:%Y-%m-%d %H:%M:%S} UTC: {}", getpid(), host.data(),
                     std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()),
                     command_line());
}

std::string text_of(int descriptor) {
  std::array<char, 4096> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))};
}

// Whoever had the lock before removes its file.
bool is_still_there(int descriptor, const std::filesystem::path& path) {
  struct stat opened = {}, found = {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &found) == 0 &&
         opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

} // namespace

FileLock::FileLock(const std::string& field, const std::filesystem::path& path) {
  std::error_code error; // of a path that cannot be resolved, and cannot be opened then
  lock_ = std::filesystem::weakly_canonical(path, error);
  if (error) lock_ = path;
  lock_ += ".lock";
  const auto refuse = [&](const std::string& reason) {
    if (descriptor_ >= 0) close(descriptor_);
    throw InvalidInput(field, path.string(), reason);
  };
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      refuse(fmt::format("cannot be written: {}: {}", lock_.string(), std::strerror(errno)));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) continue;
    if (errno != EWOULDBLOCK)
      refuse(fmt::format("cannot be locked: {}: {}", lock_.string(), std::strerror(errno)));
    const std::string holder = text_of(descriptor_);
    refuse("is being written by " + (holder.empty() ? "another process" : holder));
  } while (!is_still_there(descriptor_, lock_));
  const std::string holder = this_process();
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, holder.data(), holder.size(), 0) < 0)
    refuse(fmt::format("cannot be locked: {}: {}", lock_.string(), std::strerror(errno)));
}

FileLock::~FileLock() {
  std::error_code ignored;
  std::filesystem::remove(lock_, ignored); // while it is locked: whoever waits for it sees that it is gone
  close(descriptor_);
}

} // namespace fmha950::harness
