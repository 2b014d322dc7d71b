#include "harness/cases/memory_limit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace fmha950::harness {

namespace {

constexpr double one_gib = 1 << 30;
constexpr double infinite = std::numeric_limits<double>::infinity();

double total_memory(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  double kib = 0;
  for (std::string name; file >> name;) {
    if (name == "MemTotal:" && file >> kib) return 1024 * kib;
    std::getline(file, name);
  }
  return infinite;
}

// A file that holds a number of bytes; "max", or no such file, is no limit.
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : infinite;
}

// The group's limit and those above it. In a container the path may be the host's, whose groups are not to be
// seen: then the container's own stands at the top.
double limit_of_group(const std::filesystem::path& top, std::filesystem::path group, const char* file) {
  double least = limit_in(top / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    least = std::min(least, limit_in(top / group / file));
  return least;
}

} // namespace

double machine_memory(const std::filesystem::path& root) {
  double least = total_memory(root);
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) { // number:controllers:path
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(std::getline(std::getline(fields, number, ':'), controllers, ':'), path);
    if (controllers.empty()) least = std::min(least, limit_of_group(groups, path, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, limit_of_group(groups / "memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

std::string MemoryLimit::argument() const { return gib > 0 ? fmt::format(" --memory {}", gib) : ""; }

double MemoryLimit::bytes() const { return gib > 0 ? gib * one_gib : 0.75 * machine_memory(); }

void MemoryLimit::require(const CaseMemory& memory) const {
  const double limit = bytes();
  if (memory.total() <= limit) return;
  throw NotEnoughMemory(fmt::format("memory: the case takes about {}, more than the {:.1f} GiB that it may "
                                    "take{}; --memory {} allows it",
                                    memory.text(), limit / one_gib,
                                    gib > 0 ? "" : " (three quarters of the machine's)",
                                    std::ceil(memory.total() / one_gib)));
}

} // namespace fmha950::harness
