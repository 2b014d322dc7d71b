#include "harness/output/line_file.hpp"

#include "interface/error.hpp"
#include "interface/regular_file.hpp"

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
#include <nlohmann/json.hpp>
#include <stdexcept>
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

LineFile::LineFile(const std::string& field, const std::filesystem::path& path, ExistingLines existing)
    : path_(path) {
  const auto refuse = [&](const std::string& reason) {
    if (descriptor_ >= 0) close(descriptor_);
    throw InvalidInput(field, path.string(), reason);
  };
  const std::string kind = kind_of_irregular_file(path);
  if (kind == "a directory" || (!kind.empty() && existing == ExistingLines::keep))
    refuse("must be a regular file, and is " + kind);
  if (kind.empty()) lock_.emplace(field, path);
  const int without_waiting = kind == "a named pipe" ? O_NONBLOCK : 0; // for somebody who reads
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | without_waiting, 0666);
  if (descriptor_ < 0 && errno == ENXIO) refuse("is a named pipe that nobody reads");
  if (descriptor_ < 0) refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  if (without_waiting != 0) fcntl(descriptor_, F_SETFL, O_APPEND);
  if (!kind.empty()) return;
  if (existing == ExistingLines::refuse && std::filesystem::file_size(path) > 0)
    refuse(
        "is not empty: add --resume to keep what it holds and run what is missing, or --overwrite to begin "
        "anew");
  if (existing == ExistingLines::replace && ftruncate(descriptor_, 0) != 0)
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  if (existing == ExistingLines::keep) keep_whole_lines(field);
}

LineFile::~LineFile() { close(descriptor_); }

void LineFile::keep_whole_lines(const std::string& field) {
  std::ifstream file(path_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  size_t begin = 0, end = 0; // of the last line
  for (; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    kept_.push_back(text.substr(begin, end - begin));
  std::string torn = text.substr(begin);
  if (torn.empty() && !kept_.empty() && !nlohmann::json::accept(kept_.back())) {
    torn = kept_.back();
    begin -= torn.size() + 1;
    kept_.pop_back();
  }
  if (begin == text.size()) return;
  const auto refuse = [&](const std::string& reason) {
    close(descriptor_);
    throw InvalidInput(field, path_.string(), reason);
  };
  // A torn line begins as every line does. Anything else is not ours to remove.
  if (!torn.starts_with('{'))
    refuse(fmt::format("must hold lines of JSON, and its line {} is \"{:.40}\"", kept_.size() + 1, torn));
  if (ftruncate(descriptor_, static_cast<off_t>(begin)) != 0)
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)));
  fmt::print(stderr, "{}: its last line is torn, as of a run that was interrupted, and was dropped\n",
             path_.string());
}

void LineFile::add(const std::string& line) {
  const std::string text = line + '\n';
  struct stat before{};
  const bool has_size = fstat(descriptor_, &before) == 0 && S_ISREG(before.st_mode);
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = write(descriptor_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      const bool whole = !has_size || ftruncate(descriptor_, before.st_size) == 0; // no torn line
      throw UnwrittenLine(fmt::format("{}: results could not be written in full: {}{}", path_.string(),
                                      std::strerror(error), whole ? "" : "; its last line is torn"));
    }
    written += static_cast<size_t>(count);
  }
}

} // namespace fmha950::harness
