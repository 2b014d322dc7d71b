#pragma once
// The file of FMHA950_TIMING_REPORT: a line of JSON for each launch that has ended (timing_line.hpp). Each line is written at
// once, so that whatever ends the process leaves whole lines.

#include <optional>
#include <string>

namespace fmha950::hip {

class TimingReportFile {
 public:
  // `%p` in the path stands for the process. What the file held goes with the first line. Nothing if it cannot be written, and
  // `error` says why.
  static std::optional<TimingReportFile> create(std::string path, std::string& error);
  TimingReportFile(TimingReportFile&& other) noexcept;
  TimingReportFile& operator=(TimingReportFile&& other) noexcept;
  ~TimingReportFile();

  void add(const std::string& line); // says on stderr, once, if the file takes no more

 private:
  TimingReportFile(int file, std::string path);
  int file_ = -1;
  std::string path_;
  bool is_begun_ = false;
};

} // namespace fmha950::hip
