#pragma once
// One writer per file. The lock is flock()'s on FILE.lock, so that it ends with the process that
// holds it, however that ends. The file itself only says which process that is; one that was killed
// may leave it behind.

#include <filesystem>
#include <string>

namespace fmha950::harness {

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

} // namespace fmha950::harness
