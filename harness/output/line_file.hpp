#pragma once
// A file of JSON lines that a run writes one by one, and that a later run may go on with: records of
// --output, the ledger of sabotage. An interruption loses at most the line that was being written.

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fmha950::harness {

// One writer per file: the lock is flock()'s on FILE.lock, so that it ends with the process that
// holds it, however that ends. The file itself only says which process that is; one that was killed
// may leave it behind.
class FileLock {
 public:
  // `field`: what errors call `path`. Throws InvalidInput if another process writes it, naming that by
  // process id, host, time and command, or if the lock cannot be made.
  FileLock(const std::string& field, const std::filesystem::path& path);
  ~FileLock(); // removes FILE.lock
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path lock_;
  int descriptor_ = -1;
};

// A full disk, as a rule. Lines before it stay, and no part of it.
class UnwrittenLine : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class ExistingLines : uint8_t { refuse, keep, replace };

class LineFile {
 public:
  // `field`: what errors call the file. Throws InvalidInput for a file that cannot be written, that another
  // process writes, or that has lines while `existing` is refuse; none of these is changed. A torn
  // last line, which has no end or is no JSON, is removed, with a word on stderr. What is no regular file (a
  // pipe, a terminal) has no lines to keep, and is not locked.
  LineFile(const std::string& field, const std::filesystem::path& path, ExistingLines existing);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  const std::vector<std::string>& kept() const { return kept_; } // lines that were there
  void add(const std::string& line);                             // throws UnwrittenLine

 private:
  void keep_whole_lines(const std::string& field);

  std::filesystem::path path_;
  std::optional<FileLock> lock_;
  int descriptor_ = -1;
  std::vector<std::string> kept_;
};

} // namespace fmha950::harness
