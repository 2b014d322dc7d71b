#include "emulator/hip/hazards.hpp"

#include "emulator/observe/engine.hpp"
#include "emulator/observe/report/report_bundles.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <span>

namespace fmha950::hip {
namespace {

struct Destination {
  std::mutex mutex;
  std::string path;                     // "": stderr
  size_t published = 0;                 // of the reports in the log
  std::vector<observe::Report> in_file; // all there were: the log may be cleared in between
};
Destination& destination() {
  static Destination& instance = *new Destination;
  return instance;
}

std::string reason() { return std::strerror(errno); }

std::string as_lines(const std::vector<observe::Report>& reports,
                     std::string (*format)(const observe::Report&)) {
  std::string text;
  for (const observe::Report& report : reports) text += format(report) + "\n";
  return text;
}

} // namespace

std::string hazards_to_file(const std::string& path) {
  // Empty until something is found: a file that is there says that the checks could write it.
  if (!path.empty() && !std::ofstream(path)) return "cannot write it: " + reason();
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.path = path;
  return {};
}

std::string suppress_from_file(const std::string& path) {
  observe::Suppressions suppressions;
  if (!path.empty()) {
    std::ifstream file(path);
    if (!file) return "cannot read it: " + reason();
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::string error;
    if (!observe::Suppressions::parse(text, suppressions, error)) return error;
  }
  observe::HazardEngine::get().log().suppress(std::move(suppressions));
  return {};
}

std::optional<std::string> hazards_as(std::string_view format) {
  const auto reports = observe::HazardEngine::get().log().reports();
  if (format == "text") return as_lines(observe::bundled(reports), observe::as_text);
  if (format == "json") return as_lines(observe::bundled(reports), observe::as_json);
  if (format == "places") return as_lines(reports, observe::as_json);
  if (format == "sarif") return observe::as_sarif(reports);
  if (format == "clamped") return observe::HazardEngine::get().clamped().text();
  return std::nullopt;
}

void clear_hazards() {
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.published = 0;
  observe::HazardEngine::get().log().clear();
  observe::HazardEngine::get().clamped().clear();
}

// JSON lines are appended, so that processes that were forked may share the file.
void publish_hazards() {
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  const auto reports = observe::HazardEngine::get().log().reports();
  const auto found = std::span(reports).subspan(std::min(to.published, reports.size()));
  to.published = reports.size();
  if (found.empty()) return;
  if (to.path.empty()) {
    std::fputs(as_lines(observe::bundled(found), observe::as_text).c_str(), stderr);
    return;
  }
  const bool sarif = to.path.ends_with(".sarif");
  to.in_file.insert(to.in_file.end(), found.begin(), found.end());
  std::ofstream file(to.path, sarif ? std::ios::trunc : std::ios::app);
  file << (sarif ? observe::as_sarif(to.in_file) : as_lines(observe::bundled(found), observe::as_json))
       << std::flush;
  if (!file)
    std::fprintf(stderr, "FMHA950_REPORT = %s: cannot write it: %s\n", to.path.c_str(), reason().c_str());
}

} // namespace fmha950::hip
