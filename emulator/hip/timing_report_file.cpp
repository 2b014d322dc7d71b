#include "emulator/hip/timing_report_file.hpp"

#include "emulator/hip/failures.hpp"
#include "emulator/hip/process_path.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace fmha950::hip {

std::optional<TimingReportFile> TimingReportFile::create(std::string path, std::string& error) {
  path = process_path(path);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file >= 0) return TimingReportFile(file, std::move(path));
  error = fmt::format("cannot write it: {}", std::strerror(errno));
  return std::nullopt;
}

TimingReportFile::TimingReportFile(int file, std::string path) : file_(file), path_(std::move(path)) {}
TimingReportFile::TimingReportFile(TimingReportFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)), is_begun_(other.is_begun_) {}
TimingReportFile& TimingReportFile::operator=(TimingReportFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(is_begun_, other.is_begun_);
  return *this;
}
TimingReportFile::~TimingReportFile() {
  if (file_ >= 0) close(file_);
}

void TimingReportFile::add(const std::string& line) {
  if (!std::exchange(is_begun_, true) && ftruncate(file_, 0) != 0 && errno != EINVAL) // a pipe has no length
    say(fmt::format("FMHA950_TIMING_REPORT = {}: cannot be emptied: {}", path_, std::strerror(errno)));
  const ssize_t written = write(file_, line.data(), line.size());
  static bool said = false;
  if (written == static_cast<ssize_t>(line.size()) || std::exchange(said, true)) return;
  say(fmt::format("FMHA950_TIMING_REPORT = {}: a line is missing: {}", path_,
                  written < 0 ? std::strerror(errno) : "the file takes only a part of it"));
}

} // namespace fmha950::hip
