// Option timing_report: a line for each launch of a program that asks for nothing; what is executed and what is followed.
#include "emulator/timing/assumption_words.hpp"
#include "tests/hip/async_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using nlohmann::json;

namespace {

constexpr unsigned workgroups = 64;

// Launches are timed into a file while it lives, by `words` of option timing or what a report has by itself.
class Report {
 public:
  explicit Report(const char* words = nullptr, const char* name = "timings.jsonl")
      : path_(folder_.path() / name) {
    fmha950ClearFault();                   // the test before may have failed in one
    fmha950SetOption("timing_report", ""); // or have left timing=off, which a report would follow
    if (words) REQUIRE(fmha950SetOption("timing", words) == 0);
    REQUIRE(fmha950SetOption("timing_report", path_.c_str()) == 0);
  }
  ~Report() {
    fmha950SetOption("timing", "off");
    fmha950SetOption("timing_report", "");
  }
  std::vector<json> lines() const { return lines_of(path_); }
  std::vector<json> lines_of(const std::filesystem::path& path) const {
    REQUIRE(hipDeviceSynchronize() == 0);
    std::vector<json> all;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
    return all;
  }
  std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

std::vector<int> mark_all(const Module& module) {
  const DeviceArray<int> out(workgroups);
  REQUIRE(launch(module.kernel("mark_workgroup"), {workgroups, 1, 1}, {64, 1, 1}, 0, out.get(), 4) == 0);
  return out.values();
}

} // namespace

TEST_CASE("timing report: all workgroups of a launch are executed, some are followed") {
  const Report report;
  const Module module;
  const std::vector<int> marked = mark_all(module);
  CHECK(std::ranges::count(marked, 1) == workgroups);
  mark_all(module);
  const std::vector<json> lines = report.lines();
  REQUIRE(lines.size() == 2);
  const json& line = lines.front();
  CHECK(line.at("kernel") == "mark_workgroup");
  CHECK(line.at("executed") == "all");
  CHECK(line.at("grid") == workgroups);
  CHECK(line.at("shape").at("grid") == json({workgroups, 1, 1}));
  CHECK(line.at("shape").at("block") == json({64, 1, 1}));
  CHECK(line.at("samples").size() == 17);
  CHECK(line.at("gpu_clocks") > 0);
  CHECK(line.at("matrix_flops") == 0);
  CHECK(line.at("also").size() == fmha950::timing::open_questions.size());
  CHECK(line.at("longest").at("clocks") == line.at("samples").front().at(1)); // all are alike
  CHECK_FALSE(line.at("stalls").empty());
  CHECK(std::string(fmha950Timings()).empty()); // what is in the file is not kept as well
}

TEST_CASE("timing report: alone, what is followed is all that is executed, and the line says so") {
  const Report report("samples,most=5,alone");
  const Module module;
  const std::vector<int> marked = mark_all(module);
  CHECK(std::ranges::count(marked, 1) == 5);
  const std::vector<json> lines = report.lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("executed") == "some");
  REQUIRE(lines[0].at("samples").size() == 5);
  for (const json& sample : lines[0].at("samples")) CHECK(marked[sample.at(0).get<size_t>()] == 1);
}

TEST_CASE("timing report: what is followed takes as long as where nothing else is executed") {
  const auto samples = [](const char* words) {
    const Report report(words);
    mark_all(Module());
    return report.lines().front().at("samples");
  };
  CHECK(samples("samples,most=7") == samples("samples,most=7,alone"));
}

TEST_CASE("timing report: without a workgroup of chiplet 0 its clocks are null, never 0") {
  const auto clocks_of = [](uint32_t workgroup) {
    const Report report("chiplet");
    REQUIRE(fmha950RestrictNextLaunch(&workgroup, 1) == 0);
    mark_all(Module());
    const std::vector<json> lines = report.lines();
    REQUIRE(lines.size() == 1);
    return lines.front().at("gpu_clocks");
  };
  CHECK(clocks_of(1).is_null());
  CHECK(clocks_of(8) > 0);
}

TEST_CASE("timing report: kernels of other names are not timed") {
  const Report report("samples,kernel=mark_*");
  const Module module;
  mark_all(module);
  const DeviceArray<int> out(1);
  REQUIRE(launch(module.kernel("bounded"), {1, 1, 1}, {1, 1, 1}, 0, out.get()) == 0);
  CHECK(report.lines().size() == 1);
}

TEST_CASE("timing report: what is all of the grid is executed whole, and off is off") {
  {
    const Report report("samples,most=500,alone");
    CHECK(std::ranges::count(mark_all(Module()), 1) == workgroups);
    CHECK(report.lines().front().at("executed") == "all");
  }
  const Report report("off");
  mark_all(Module());
  CHECK(report.lines().empty());
}

TEST_CASE("timing report: a file keeps what it held until a launch is written") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "held.jsonl";
  std::ofstream(path) << "held\n";
  fmha950ClearFault();
  REQUIRE(fmha950SetOption("timing_report", path.c_str()) == 0);
  CHECK(std::filesystem::file_size(path) == 5);
  mark_all(Module());
  REQUIRE(hipDeviceSynchronize() == 0);
  fmha950SetOption("timing", "off");
  fmha950SetOption("timing_report", "");
  std::ifstream file(path);
  std::string first;
  std::getline(file, first);
  CHECK(first.starts_with("{"));
}

TEST_CASE("timing report: %p is the process") {
  const Report report(nullptr, "of_%p.jsonl");
  mark_all(Module());
  CHECK(report.lines_of(report.folder() / ("of_" + std::to_string(getpid()) + ".jsonl")).size() == 1);
}

TEST_CASE("timing report: each launch has its stream, by the order in which they were made") {
  const Report report;
  const Module module;
  const Stream first, second;
  const DeviceArray<int> out(1);
  const auto launch_in = [&](void* stream) {
    void* pointer = out.get();
    void* arguments[] = {&pointer};
    REQUIRE(hipModuleLaunchKernel(module.kernel("bounded"), 1, 1, 1, 1, 1, 1, 0, stream, arguments,
                                  nullptr) == 0);
    REQUIRE(hipDeviceSynchronize() == 0);
  };
  for (void* stream : {second.get(), static_cast<void*>(nullptr), first.get(), second.get()})
    launch_in(stream);
  const std::vector<json> lines = report.lines();
  REQUIRE(lines.size() == 4);
  const auto stream_of = [&](size_t i) { return lines[i].at("stream").get<uint64_t>(); };
  CHECK(stream_of(1) == 0);
  CHECK(stream_of(2) > 0);
  CHECK(stream_of(0) == stream_of(2) + 1); // which was made next
  CHECK(stream_of(3) == stream_of(0));
}

TEST_CASE("timing report: what cannot be is refused") {
  fmha950ClearFault();
  const auto refused = [](const char* option, const char* value, const char* wanted) {
    CAPTURE(option, value);
    CHECK(fmha950SetOption(option, value) != 0);
    CHECK_THAT(detail(), Catch::Contains(wanted));
  };
  refused("timing_report", "/no/such/folder/timings.jsonl", "cannot write it");
  refused("timing", "samples,most=0", "'most=0' is none of its words");
  refused("timing", "samples,stalls=many", "'stalls=many' is none of its words");
  refused("timing", "samples,kernel=", "'kernel=' is none of its words");
  refused("timing", "samples,alone", "alone goes with most=N");
}
