// `device watch`.
#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"
#include "interface/outcome.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace fmha950::harness {
namespace {

using nlohmann::json;

class TemporaryReport {
 public:
  TemporaryReport() {
    std::string name = (std::filesystem::temp_directory_path() / "fmha950-watch-XXXXXX").string();
    if (!mkdtemp(name.data())) throw DeviceError(name + ": cannot make it: " + std::strerror(errno));
    folder_ = name;
  }
  ~TemporaryReport() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryReport(const TemporaryReport&) = delete;
  std::filesystem::path path() const { return folder_ / "found.jsonl"; }

 private:
  std::filesystem::path folder_;
};

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
  std::string text = fmt::format("  {} {}: {}", role, source.empty() ? "unknown source" : source,
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
  const size_t places = report.contains("places") ? report.at("places").size() : 1;
  return text + fmt::format("  seen    {} times at {} places\n", report.at("count").get<uint64_t>(), places);
}

} // namespace

int watch(const std::vector<std::string>& command) {
  const TemporaryReport temporary;
  const int ended_with = run(command, temporary.path());
  std::ifstream file(temporary.path());
  if (!file)
    throw DeviceError(
        fmt::format("{} ended with {} and made no HIP call on the embedded device: nothing was checked",
                    command[0], ended_with));
  constexpr std::array<const char*, 3> severities = {"error", "warning", "note"};
  std::array<std::vector<std::string>, 3> found;
  for (std::string line; std::getline(file, line);) {
    const json report = json::parse(line);
    for (size_t s = 0; s < severities.size(); ++s)
      if (report.at("severity") == severities[s]) found[s].push_back(text_of(report));
  }
  for (const auto& reports : found)
    for (const std::string& report : reports) fmt::print("{}\n", report);
  if (ended_with != 0) fmt::print("{} ended with exit code {}\n", command[0], ended_with);
  fmt::print("{} errors, {} warnings, {} notes\n", found[0].size(), found[1].size(), found[2].size());
  return found[0].empty() ? ended_with : exit_code(OutcomeKind::hazard);
}

} // namespace fmha950::harness
