// `device watch`.
#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"
#include "interface/outcome.hpp"
#include "interface/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> severities = {"error", "warning", "note"};

void set_up_environment(const std::filesystem::path& report) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string libraries =
      embedded_device_folder().string() + (before && *before ? ":" : "") + (before ? before : "");
  setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
  setenv("FMHA950_CHECK", "all", 0); // what the user chose stays
  setenv("FMHA950_REPORT", report.c_str(), 1);
}

int run(const std::vector<std::string>& command, const std::filesystem::path& report) {
  const pid_t child = fork();
  if (child == 0) {
    set_up_environment(report);
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "%s: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) throw DeviceError(std::string("fork: ") + std::strerror(errno));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string text_of(const char* role, const json& party) {
  if (party.is_null()) return "";
  const auto source = party.at("source").get<std::string>();
  std::string text = fmt::format("  {} {}: {}+{:#x} {}", role, source.empty() ? "unknown source" : source,
                                 party.at("symbol").get<std::string>(), party.at("offset").get<uint64_t>(),
                                 party.at("instruction").get<std::string>());
  if (party.at("wave").get<int>() >= 0)
    text += fmt::format("  (workgroup {}, wave {})", party.at("workgroup").get<uint64_t>(),
                        party.at("wave").get<int>());
  return text + "\n";
}

std::string text_of(const json& report) {
  std::string text =
      fmt::format("{} {}: {}\n", report.at("severity").get<std::string>(),
                  report.at("hazard").get<std::string>(), report.at("what").get<std::string>());
  if (const auto kernel = report.at("kernel").get<std::string>(); !kernel.empty())
    text += fmt::format("  kernel  {}\n", kernel);
  text += text_of("earlier", report.at("earlier")) + text_of("later  ", report.at("later"));
  if (const auto missing = report.at("missing").get<std::string>(); !missing.empty())
    text += fmt::format("  missing {}\n", missing);
  if (report.contains("usually"))
    text += fmt::format("  usually {}\n", report.at("usually").get<std::string>());
  return text + fmt::format("  seen    {} times at {} places\n", report.at("count").get<uint64_t>(),
                            report.at("pairs").size());
}

int rank_of(const json& finding) {
  const auto found = std::ranges::find(severities, finding.at("severity").get<std::string>());
  return static_cast<int>(found - severities.begin());
}

// A launch adds to what those before it found: lines of one cause are one finding, and the gravest of them shows it.
std::vector<json> findings_in(std::ifstream& file) {
  std::vector<json> findings;
  std::map<std::string, size_t> numbers;
  for (std::string line; std::getline(file, line);) {
    json finding = json::parse(line);
    const auto [entry, is_new] = numbers.try_emplace(finding.at("cause"), findings.size());
    if (is_new) {
      findings.push_back(std::move(finding));
      continue;
    }
    json& shown = findings[entry->second];
    if (rank_of(finding) < rank_of(shown)) std::swap(finding, shown);
    shown.at("count") = shown.at("count").get<uint64_t>() + finding.at("count").get<uint64_t>();
    for (json& pair : finding.at("pairs")) shown.at("pairs").push_back(std::move(pair));
  }
  return findings;
}

} // namespace

int watch(const std::vector<std::string>& command) {
  const TemporaryFolder folder("watch");
  const std::filesystem::path report_file = folder.path() / "found.jsonl";
  const int ended_with = run(command, report_file);
  std::ifstream file(report_file);
  if (!file)
    throw DeviceError(
        fmt::format("{} ended with {} and made no HIP call on the embedded device: nothing was checked",
                    command[0], ended_with));
  std::array<std::vector<std::string>, 3> found;
  for (const json& finding : findings_in(file))
    found.at(static_cast<size_t>(rank_of(finding))).push_back(text_of(finding));
  for (const auto& reports : found)
    for (const std::string& report : reports) fmt::print("{}\n", report);
  if (ended_with != 0) fmt::print("{} ended with exit code {}\n", command[0], ended_with);
  fmt::print("{} errors, {} warnings, {} notes\n", found[0].size(), found[1].size(), found[2].size());
  return found[0].empty() ? ended_with : exit_code(OutcomeKind::hazard);
}

} // namespace fmha950::harness
