// Graphs: captured from streams, and built node by node.
#include "tests/hip/async_fixture.hpp"

namespace {

void* instantiated(void* graph) {
  void* executable = nullptr;
  REQUIRE(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) == 0);
  return executable;
}

int launch_marking(const Module& module, const DeviceArray<int>& out, void* stream) {
  void* pointer = out.get();
  int columns = 4;
  void* parameters[] = {&pointer, &columns};
  return hipModuleLaunchKernel(module.kernel("mark_workgroup"), 4, 1, 1, 64, 1, 1, 0, stream, parameters,
                               nullptr);
}

void add_one(void* count) { ++*static_cast<int*>(count); }

} // namespace

TEST_CASE("graphs: a captured stream does nothing until the graph is launched, and then each time") {
  const Module module;
  const DeviceArray<int> out(4), copy(4);
  const Stream stream;
  int calls = 0, status = -1;
  REQUIRE(hipStreamBeginCapture(stream.get(), 0) == 0);
  REQUIRE(hipStreamIsCapturing(stream.get(), &status) == 0);
  CHECK(status == 1);
  REQUIRE(launch_marking(module, out, stream.get()) == 0);
  REQUIRE(hipMemcpyAsync(copy.get(), out.get(), 16, 3, stream.get()) == 0);
  REQUIRE(hipMemsetAsync(out.get(), 1, 4, stream.get()) == 0);
  REQUIRE(hipLaunchHostFunc(stream.get(), add_one, &calls) == 0);
  void* graph = nullptr;
  REQUIRE(hipStreamEndCapture(stream.get(), &graph) == 0);
  REQUIRE(hipStreamIsCapturing(stream.get(), &status) == 0);
  CHECK(status == 0);
  CHECK(out.values() == std::vector<int>(4));
  CHECK(calls == 0);

  void* const executable = instantiated(graph);
  CHECK(hipGraphDestroy(graph) == 0); // the executable one has all that it needs
  REQUIRE(hipGraphLaunch(executable, stream.get()) == 0);
  CHECK(copy.values() == std::vector<int>{1, 1, 1, 1});
  CHECK(out.values() == std::vector<int>{0x01010101, 1, 1, 1});
  REQUIRE(hipGraphLaunch(executable, nullptr) == 0);
  CHECK(copy.values() == std::vector<int>{0x01010102, 2, 2, 2});
  CHECK(calls == 2);
  CHECK(hipGraphExecDestroy(executable) == 0);
  CHECK(hipGraphLaunch(executable, nullptr) == invalid_handle);
}

TEST_CASE("graphs: a capture spreads over events, and ends where it began") {
  const DeviceArray<int> out(1);
  const Stream first, second;
  void *fork = nullptr, *join = nullptr, *graph = nullptr;
  REQUIRE(hipEventCreate(&fork) == 0);
  REQUIRE(hipEventCreate(&join) == 0);
  REQUIRE(hipStreamBeginCapture(first.get(), 0) == 0);
  REQUIRE(hipEventRecord(fork, first.get()) == 0);
  REQUIRE(hipStreamWaitEvent(second.get(), fork, 0) == 0);
  REQUIRE(hipMemsetAsync(out.get(), 1, 4, second.get()) == 0);
  REQUIRE(hipEventRecord(join, second.get()) == 0);
  REQUIRE(hipStreamWaitEvent(first.get(), join, 0) == 0);
  CHECK(hipStreamEndCapture(second.get(), &graph) != 0);
  REQUIRE(hipStreamEndCapture(first.get(), &graph) == 0);
  CHECK(out.values()[0] == 0);
  REQUIRE(hipMemsetAsync(out.get(), 2, 4, second.get()) == 0); // no longer captured
  CHECK(out.values()[0] == 0x02020202);
  void* const executable = instantiated(graph);
  REQUIRE(hipGraphLaunch(executable, first.get()) == 0);
  CHECK(out.values()[0] == 0x01010101);
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
  hipEventDestroy(fork);
  hipEventDestroy(join);
}

TEST_CASE("graphs: nodes run behind what they depend on, in whatever order they were added") {
  const Module module;
  const DeviceArray<int> out(4), copy(4);
  void *graph = nullptr, *copied = nullptr, *filled = nullptr, *kernel = nullptr, *host = nullptr;
  int calls = 0;
  REQUIRE(hipGraphCreate(&graph, 0) == 0);
  REQUIRE(hipGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, copy.get(), out.get(), 16, 3) == 0);
  const HipFillNode fill{out.get(), 4, 1, 0, 5, 4};
  REQUIRE(hipGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill) == 0);
  void* pointer = out.get();
  int columns = 4;
  void* parameters[] = {&pointer, &columns};
  const HipKernelNode node{{64, 1, 1}, nullptr, module.kernel("mark_workgroup"), {4, 1, 1}, parameters, 0};
  REQUIRE(hipGraphAddKernelNode(&kernel, graph, &filled, 1, &node) == 0);
  const HipHostNode function{add_one, &calls};
  REQUIRE(hipGraphAddHostNode(&host, graph, &kernel, 1, &function) == 0);
  REQUIRE(hipGraphAddDependencies(graph, &kernel, &copied, 1) == 0);
  size_t count = 0;
  REQUIRE(hipGraphGetNodes(graph, nullptr, &count) == 0);
  CHECK(count == 4);
  REQUIRE(hipGraphGetRootNodes(graph, nullptr, &count) == 0);
  CHECK(count == 1);
  int type = -1;
  REQUIRE(hipGraphNodeGetType(filled, &type) == 0);
  CHECK(type == 2);

  void* const executable = instantiated(graph);
  REQUIRE(hipGraphLaunch(executable, nullptr) == 0);
  CHECK(copy.values() == std::vector<int>{6, 6, 6, 6});
  CHECK(calls == 1);

  REQUIRE(hipGraphAddDependencies(graph, &host, &filled, 1) == 0);
  void* other = nullptr;
  CHECK(hipGraphInstantiate(&other, graph, nullptr, nullptr, 0) == invalid_value);
  CHECK(detail() == "the graph's dependencies form a circle");
  CHECK(hipGraphAddMemsetNode(&filled, graph, &graph, 1, &fill) == invalid_value);
  CHECK(hipGraphAddKernelNode(&kernel, graph, nullptr, 0, nullptr) == invalid_value);
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
  CHECK(hipGraphGetNodes(graph, nullptr, &count) == invalid_handle);
}

TEST_CASE("graphs: an update takes new parameters, but no other shape") {
  const DeviceArray<int> out(1);
  const auto graph_of = [&](int value, int nodes) {
    const Stream stream;
    void* graph = nullptr;
    REQUIRE(hipStreamBeginCapture(stream.get(), 0) == 0);
    for (int i = 0; i < nodes; ++i) REQUIRE(hipMemsetAsync(out.get(), value, 4, stream.get()) == 0);
    REQUIRE(hipStreamEndCapture(stream.get(), &graph) == 0);
    return graph;
  };
  void *const one = graph_of(1, 1), *const two = graph_of(2, 1), *const long_one = graph_of(3, 2);
  void* const executable = instantiated(one);
  int result = -1;
  REQUIRE(hipGraphExecUpdate(executable, two, nullptr, &result) == 0);
  CHECK(result == 0);
  REQUIRE(hipGraphLaunch(executable, nullptr) == 0);
  CHECK(out.values()[0] == 0x02020202);
  CHECK(hipGraphExecUpdate(executable, long_one, nullptr, &result) == 910);
  CHECK(result == 2);
  hipGraphExecDestroy(executable);
  for (void* graph : {one, two, long_one}) hipGraphDestroy(graph);
}

TEST_CASE("graphs: what cannot be captured, and a kernel whose module is gone") {
  const DeviceArray<int> out(4);
  void* graph = nullptr;
  CHECK(hipStreamBeginCapture(nullptr, 0) != 0);
  CHECK_THAT(detail(), Catch::Contains("the default stream cannot be captured"));
  const Stream stream;
  CHECK(hipStreamEndCapture(stream.get(), &graph) == illegal_state);
  REQUIRE(hipStreamBeginCapture(stream.get(), 0) == 0);
  CHECK(hipStreamBeginCapture(stream.get(), 0) == illegal_state);
  {
    const Module module;
    REQUIRE(launch_marking(module, out, stream.get()) == 0);
  }
  REQUIRE(hipStreamEndCapture(stream.get(), &graph) == 0);
  void* const executable = instantiated(graph);
  CHECK(hipGraphLaunch(executable, nullptr) == invalid_handle);
  CHECK(detail() == "the module of a graph's kernel was unloaded");
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
}
