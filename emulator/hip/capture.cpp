#include "emulator/hip/capture.hpp"

#include "emulator/hip/streams.hpp"
#include "emulator/memory/address_space.hpp"

#include <map>

namespace fmha950::hip {
namespace {

constexpr auto illegal_state = static_cast<hipError_t>(401); // hipErrorIllegalState
constexpr auto unmatched = static_cast<hipError_t>(903);     // hipErrorStreamCaptureUnmatched
constexpr auto implicit = static_cast<hipError_t>(906);      // hipErrorStreamCaptureImplicit

enum CaptureStatus : int { none = 0, active = 1 }; // hipStreamCaptureStatus

// What is captured at present, by any thread. The order of the calls is one that all streams agree on, so a captured node
// depends on the one before it, whichever stream that came from.
struct Captures {
  std::mutex mutex;
  struct Capture {
    hipGraph_t graph;
    hipStream_t origin;
  };
  std::map<hipStream_t, Capture> streams;
  std::map<hipEvent_t, Capture> events;
};
Captures& captures() {
  static Captures& instance = *new Captures;
  return instance;
}

Captures::Capture capture_of(hipStream_t stream) {
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().streams.find(stream);
  return found == captures().streams.end() ? Captures::Capture{} : found->second;
}

hipError_t info(hipStream_t stream, CaptureStatus* status, unsigned long long* id, hipGraph_t* graph,
                const hipGraphNode_t** dependencies, size_t* count) {
  return call([&] {
    require_stream(stream);
    require(status, hipErrorInvalidValue, "captureStatus is null");
    const Captures::Capture capture = capture_of(stream);
    *status = capture.graph ? active : none;
    if (id) *id = reinterpret_cast<uintptr_t>(capture.graph);
    if (graph) *graph = capture.graph;
    if (!dependencies && !count) return;
    require(dependencies && count, hipErrorInvalidValue, "of dependencies and numDependencies one is null");
    thread_local hipGraphNode_t last = nullptr; // valid until the thread's next call, as documented
    const auto* nodes = capture.graph ? &graphs().get(capture.graph, "graph").nodes : nullptr;
    last = nodes && !nodes->empty() ? nodes->back().get() : nullptr;
    *dependencies = &last;
    *count = last ? 1 : 0;
  });
}

} // namespace

bool captured(hipStream_t stream, NodeType type, const Operation& operation) {
  const Captures::Capture capture = capture_of(stream);
  if (!capture.graph) return false;
  ihipGraph_t& graph = graphs().get(capture.graph, "graph");
  const hipGraphNode_t last = graph.nodes.empty() ? nullptr : graph.nodes.back().get();
  add_node(graph, type, operation, &last, last ? 1 : 0);
  return true;
}

void enqueue(hipStream_t stream, NodeType type, const Operation& operation, WorkKind kind) {
  if (!captured(stream, type, operation)) submit(queue_of(stream), kind, operation());
}

// On the caller's thread: all that is before it is done. What another thread submits meanwhile has no order with it.
void do_now(hipStream_t stream, NodeType type, const Operation& operation) {
  if (captured(stream, type, operation)) return;
  wait_for(queue_of(stream));
  Runtime::get().require_healthy();
  const machine::AddressSpace::Use use;
  operation()();
}

bool is_capturing(hipStream_t stream) { return capture_of(stream).graph != nullptr; }

bool capture_record(hipEvent_t event, hipStream_t stream) {
  const Captures::Capture capture = capture_of(stream);
  const std::lock_guard lock(captures().mutex);
  if (capture.graph)
    captures().events[event] = capture;
  else
    captures().events.erase(event);
  return capture.graph;
}

bool capture_wait(hipStream_t stream, hipEvent_t event) {
  const std::lock_guard lock(captures().mutex);
  const auto found = captures().events.find(event);
  if (found != captures().events.end()) captures().streams.try_emplace(stream, found->second);
  return captures().streams.contains(stream);
}

void end_captures_of(hipStream_t stream) {
  const std::lock_guard lock(captures().mutex);
  captures().streams.erase(stream);
}

FMHA950_HIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
  return call([&] {
    require_stream(stream);
    if (mode < 0 || mode > 2)
      throw CallError(hipErrorInvalidValue, fmt::format("mode = {}: must be 0 to 2", mode));
    require(!is_default(stream), implicit,
            "stream: the default stream cannot be captured, make one of your own");
    require(!is_capturing(stream), illegal_state, "stream is being captured already");
    const hipGraph_t graph = graphs().add(std::make_unique<ihipGraph_t>());
    const std::lock_guard lock(captures().mutex);
    captures().streams[stream] = {graph, stream};
  });
}
FMHA950_HIP_API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return call([&] {
    require(graph, hipErrorInvalidValue, "pGraph is null");
    *graph = nullptr;
    require_stream(stream);
    const Captures::Capture capture = capture_of(stream);
    require(capture.graph, illegal_state, "stream is not being captured");
    require(capture.origin == stream, unmatched,
            "stream joined the capture, it must be ended where it began");
    const auto of_it = [&](const auto& entry) { return entry.second.graph == capture.graph; };
    const std::lock_guard lock(captures().mutex);
    std::erase_if(captures().streams, of_it);
    std::erase_if(captures().events, of_it);
    *graph = capture.graph;
  });
}
FMHA950_HIP_API hipError_t hipStreamIsCapturing(hipStream_t stream, CaptureStatus* status) {
  return info(stream, status, nullptr, nullptr, nullptr, nullptr);
}
FMHA950_HIP_API hipError_t hipStreamGetCaptureInfo(hipStream_t stream, CaptureStatus* status,
                                                   unsigned long long* id) {
  return info(stream, status, id, nullptr, nullptr, nullptr);
}
FMHA950_HIP_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, CaptureStatus* status,
                                                      unsigned long long* id, hipGraph_t* graph,
                                                      const hipGraphNode_t** dependencies, size_t* count) {
  return info(stream, status, id, graph, dependencies, count);
}
// Which calls another thread's capture forbids: none is forbidden here.
FMHA950_HIP_API hipError_t hipThreadExchangeStreamCaptureMode(int* mode) {
  thread_local int current = 0;
  return call([&] {
    require(mode && *mode >= 0 && *mode <= 2, hipErrorInvalidValue, "mode is null or not 0 to 2");
    std::swap(*mode, current);
  });
}

} // namespace fmha950::hip
