#include "emulator/hip/hazards.hpp"

#include "emulator/hip/process_path.hpp"
#include "emulator/observe/engine.hpp"
#include "emulator/observe/report/baseline.hpp"
#include "emulator/observe/report/suppressions.hpp"

#include <algorithm>
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
  std::string path;                     // "": stderr; as written: a forked process has another %p
  size_t published = 0;                 // of the reports in the log
  std::vector<observe::Report> in_file; // all there were: the log may be cleared in between
  observe::Suppressions suppressions;
  observe::Baseline baseline;
  bool tells_accepted = false;
};
Destination& destination() {
  static Destination& instance = *new Destination;
  return instance;
}

std::string reason() { return std::strerror(errno); }

// The text of a file; nothing, and `error` says why.
std::optional<std::string> read_text(const std::string& path, std::string& error) {
  std::ifstream file(path);
  if (file) return std::string(std::istreambuf_iterator<char>(file), {});
  error = "cannot read it: " + reason();
  return std::nullopt;
}

bool is_accepted(const observe::Finding& finding) { return finding.accepted; }

// Without those that are accepted or known, unless they are told, too.
std::vector<observe::Finding> told_findings(const Destination& of, std::span<const observe::Report> reports) {
  std::vector<observe::Finding> findings = observe::findings_of(reports);
  of.baseline.accept(findings);
  for (observe::Finding& finding : findings) finding.accepted |= of.suppressions.match(finding);
  if (!of.tells_accepted) std::erase_if(findings, is_accepted);
  return findings;
}

// Of findings in all of the reports the pairs from `first` on, under the causes that they have in all.
std::vector<observe::Finding> later_part(const Destination& of, std::span<const observe::Report> reports,
                                         size_t first) {
  std::vector<observe::Finding> findings;
  for (const observe::Finding& all : told_findings(of, reports)) {
    std::vector<observe::Report> pairs;
    for (size_t i = 0; i < all.pairs.size(); ++i)
      if (all.numbers[i] >= first) pairs.push_back(all.pairs[i]);
    if (pairs.empty()) continue;
    findings.push_back(observe::finding_of(pairs));
    findings.back().cause = all.cause;
    findings.back().accepted = all.accepted;
  }
  return findings;
}

std::string as_lines(const std::vector<observe::Finding>& findings,
                     std::string (*format)(const observe::Finding&)) {
  std::string text;
  for (const observe::Finding& finding : findings) text += format(finding) + "\n";
  return text;
}

std::string pairs_as_lines(const std::vector<observe::Finding>& findings) {
  std::string text;
  for (const observe::Finding& finding : findings)
    for (const observe::Report& pair : finding.pairs) text += observe::as_json(pair, finding.cause) + "\n";
  return text;
}

} // namespace

std::string hazards_to_file(const std::string& path) {
  // Empty until something is found: a file that is there says that the checks could write it.
  if (!path.empty() && !std::ofstream(process_path(path))) return "cannot write it: " + reason();
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.path = path;
  return {};
}

std::string suppress_from_file(const std::string& path) {
  observe::Suppressions suppressions;
  std::string error;
  if (!path.empty()) {
    const auto text = read_text(path, error);
    if (!text || !observe::Suppressions::parse(*text, suppressions, error)) return error;
  }
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.suppressions = std::move(suppressions);
  return {};
}

std::string baseline_from_file(const std::string& path) {
  observe::Baseline baseline;
  std::string error;
  if (!path.empty()) {
    const auto text = read_text(path, error);
    if (!text || !observe::Baseline::parse(*text, baseline, error)) return error;
  }
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.baseline = std::move(baseline);
  return {};
}

void tell_accepted_hazards(bool told) {
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.tells_accepted = told;
}

std::optional<std::string> hazards_as(std::string_view format) {
  if (format == "clamped") return observe::HazardEngine::get().clamped().text();
  Destination& of = destination();
  const std::lock_guard lock(of.mutex);
  const auto findings = told_findings(of, observe::HazardEngine::get().log().reports());
  if (format == "text") return as_lines(findings, observe::as_text);
  if (format == "json") return as_lines(findings, observe::as_json);
  if (format == "places") return pairs_as_lines(findings);
  if (format == "sarif") return observe::as_sarif(findings);
  return std::nullopt;
}

void clear_hazards() {
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  to.published = 0;
  observe::HazardEngine::get().log().clear();
  observe::HazardEngine::get().clamped().clear();
}

size_t errors_found() {
  Destination& of = destination();
  const std::lock_guard lock(of.mutex);
  return static_cast<size_t>(
      std::ranges::count(told_findings(of, observe::HazardEngine::get().log().reports()), true,
                         [](const observe::Finding& finding) {
                           return !finding.accepted && finding.strongest.severity == observe::Severity::error;
                         }));
}

// JSON lines are appended, so that processes that were forked may share the file.
void publish_hazards() {
  Destination& to = destination();
  const std::lock_guard lock(to.mutex);
  const auto reports = observe::HazardEngine::get().log().reports();
  const size_t first = std::min(to.published, reports.size());
  to.published = reports.size();
  if (first == reports.size()) return;
  const bool sarif = to.path.ends_with(".sarif");
  to.in_file.insert(to.in_file.end(), reports.begin() + static_cast<std::ptrdiff_t>(first), reports.end());
  const auto found = sarif ? told_findings(to, to.in_file) : later_part(to, reports, first);
  if (found.empty()) return;
  if (to.path.empty()) {
    std::fputs(as_lines(found, observe::as_text).c_str(), stderr);
    return;
  }
  const std::string path = process_path(to.path);
  std::ofstream file(path, sarif ? std::ios::trunc : std::ios::app);
  file << (sarif ? observe::as_sarif(found) : as_lines(found, observe::as_json)) << std::flush;
  if (!file)
    std::fprintf(stderr, "FMHA950_REPORT = %s: cannot write it: %s\n", path.c_str(), reason().c_str());
}

} // namespace fmha950::hip
