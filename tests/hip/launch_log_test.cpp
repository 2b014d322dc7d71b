// What option launches writes down: direct launches and those of a graph's replays, what they wrote, functions of the host.
#include "tests/hip/async_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

using nlohmann::json;

namespace {

// Writes down what is launched while it lives.
class Logging {
 public:
  Logging() { REQUIRE(fmha950SetOption("launches", folder_.path().c_str()) == 0); }
  ~Logging() {
    fmha950ClearFault(); // else a device that has faulted keeps the option, for the tests that follow
    fmha950SetOption("launches", "");
  }
  std::vector<json> lines() const {
    REQUIRE(hipDeviceSynchronize() == 0);
    std::vector<json> all;
    std::ifstream file(folder_.path() / "launches.jsonl");
    for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
    return all;
  }
  std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

int mark(const Module& module, void* out, void* stream) {
  int columns = 4;
  void* parameters[] = {&out, &columns};
  return hipModuleLaunchKernel(module.kernel("mark_workgroup"), 4, 1, 1, 64, 1, 1, 0, stream, parameters,
                               nullptr);
}

void nothing(void*) {}

} // namespace

TEST_CASE("launch log: a launch tells what its pointers led to, before it and behind") {
  const Logging logging;
  const Module module;
  const DeviceArray<int> out(4);
  REQUIRE(mark(module, out.get(), nullptr) == 0);
  REQUIRE(mark(module, out.get(), nullptr) == 0);
  const std::vector<json> lines = logging.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at("kernel") == "mark_workgroup");
  CHECK(lines[0].at("grid") == json({4, 1, 1}));
  CHECK(lines[0].at("replay") == false);
  CHECK(std::filesystem::exists(logging.folder() / lines[0].at("object").get<std::string>()));
  const json &first = lines[0].at("pointers").at(0), &second = lines[1].at("pointers").at(0);
  CHECK(first.at("size") == 16);
  CHECK(first.at("head") == std::string(32, '0'));
  CHECK(first.at("zero") == true);
  CHECK(first.at("addresses") == 0);
  CHECK(first.at("before") != first.at("after"));
  CHECK(second.at("before") == first.at("after"));
  CHECK(second.at("head") == "01000000010000000100000001000000");
  CHECK(second.at("zero") == false);
}

TEST_CASE("launch log: addresses in memory are counted") {
  const Logging logging;
  const Module module;
  const DeviceArray<int> out(4);
  const DeviceArray<uint64_t> table(4);
  const uint64_t words[] = {1, reinterpret_cast<uint64_t>(out.get()), 0,
                            reinterpret_cast<uint64_t>(out.get()) + 8};
  REQUIRE(hipMemcpy(table.get(), words, sizeof words, 1) == 0);
  REQUIRE(mark(module, table.get(), nullptr) == 0);
  const std::vector<json> lines = logging.lines();
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("pointers").at(0).at("addresses") == 2);
}

TEST_CASE(
    "launch log: what a graph captures counts when it is replayed, each time; a host's function is told") {
  const Logging logging;
  const Module module;
  const DeviceArray<int> out(4);
  const Stream stream;
  void *graph = nullptr, *executable = nullptr;
  REQUIRE(hipStreamBeginCapture(stream.get(), 0) == 0);
  REQUIRE(mark(module, out.get(), stream.get()) == 0);
  REQUIRE(hipLaunchHostFunc(stream.get(), nothing, nullptr) == 0);
  REQUIRE(hipStreamEndCapture(stream.get(), &graph) == 0);
  REQUIRE(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) == 0);
  CHECK(logging.lines().empty());
  REQUIRE(hipGraphLaunch(executable, stream.get()) == 0);
  REQUIRE(hipGraphLaunch(executable, stream.get()) == 0);
  REQUIRE(mark(module, out.get(), stream.get()) == 0);
  const std::vector<json> lines = logging.lines();
  REQUIRE(lines.size() == 5);
  for (const size_t replayed : {0, 2}) {
    CHECK(lines[replayed].at("replay") == true);
    CHECK(lines[replayed + 1] == json{{"callback", true}});
  }
  CHECK(lines[4].at("replay") == false);
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
}

TEST_CASE("launch log: numbers are those of the calls, whatever ends first") {
  const Logging logging;
  const Module module;
  const DeviceArray<int> out(4);
  const Stream one, other;
  struct Gate {
    std::atomic<bool> reached{false}, may_go{false};
  } gate;
  const auto wait = [](void* at) {
    auto& [reached, may_go] = *static_cast<Gate*>(at);
    reached = true;
    reached.notify_all();
    may_go.wait(false);
  };
  REQUIRE(hipLaunchHostFunc(one.get(), wait, &gate) == 0);
  gate.reached.wait(false); // its line is the first
  REQUIRE(mark(module, out.get(), one.get()) == 0);
  REQUIRE(mark(module, out.get(), other.get()) == 0);
  REQUIRE(hipStreamSynchronize(other.get()) == 0);
  gate.may_go = true;
  gate.may_go.notify_all();
  const std::vector<json> lines = logging.lines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == json{{"callback", true}}); // before it is called
  CHECK(lines[1].at("number") == lines[2].at("number").get<int>() + 1);
  CHECK(lines[1].at("process") == getpid());
}

TEST_CASE("launch log: a launch that faults is told") {
  const Logging logging;
  const Module module;
  REQUIRE(mark(module, reinterpret_cast<void*>(0x1000), nullptr) == 0);
  CHECK(hipDeviceSynchronize() != 0);
  std::ifstream file(logging.folder() / "launches.jsonl");
  CHECK(json::parse(file) == json{{"faulted", "mark_workgroup"}});
}
