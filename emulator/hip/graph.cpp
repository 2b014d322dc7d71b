#include "emulator/hip/graph.hpp"

#include "emulator/hip/capture.hpp"
#include "emulator/hip/streams.hpp"

#include <algorithm>
#include <unordered_set>

namespace fmha950::hip {
namespace {

enum UpdateResult : int { updated = 0, topology_changed = 2, type_changed = 3 }; // hipGraphExecUpdateResult
constexpr auto update_failure = static_cast<hipError_t>(910); // hipErrorGraphExecUpdateFailure

Handles<ihipGraphExec_t>& executables() {
  static auto& handles = *new Handles<ihipGraphExec_t>;
  return handles;
}

void require_node(const ihipGraph_t& graph, hipGraphNode_t node) {
  if (std::ranges::none_of(graph.nodes, [&](const auto& each) { return each.get() == node; }))
    throw CallError(hipErrorInvalidValue,
                    fmt::format("node = {}: not a node of the graph", static_cast<void*>(node)));
}

// Each node behind its dependencies, else as they were added.
std::vector<ihipGraphExec_t::Step> ordered(const ihipGraph_t& graph) {
  std::vector<ihipGraphExec_t::Step> steps;
  std::unordered_set<hipGraphNode_t> done;
  while (done.size() < graph.nodes.size()) {
    const size_t before = done.size();
    for (const auto& node : graph.nodes) {
      if (done.contains(node.get())) continue;
      if (!std::ranges::all_of(node->dependencies, [&](hipGraphNode_t each) { return done.contains(each); }))
        continue;
      done.insert(node.get());
      steps.push_back({node.get(), node->type, node->operation});
    }
    require(done.size() > before, hipErrorInvalidValue, "the graph's dependencies form a circle");
  }
  return steps;
}

hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph) {
  return call([&] {
    require(executable, hipErrorInvalidValue, "pGraphExec is null");
    *executable = executables().add(
        std::make_unique<ihipGraphExec_t>(ihipGraphExec_t{ordered(graphs().get(graph, "graph"))}));
  });
}

struct Replaying {
  Replaying() { replaying() = true; }
  ~Replaying() { replaying() = false; }
  Replaying(const Replaying&) = delete;
};

// Writes as many as fit, and how many there are (CUDA's protocol, which HIP has).
void list(const std::vector<hipGraphNode_t>& found, hipGraphNode_t* nodes, size_t* count) {
  require(count, hipErrorInvalidValue, "the pointer to the number is null");
  if (nodes)
    for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
  *count = nodes ? std::min(*count, found.size()) : found.size();
}

} // namespace

Handles<ihipGraph_t>& graphs() {
  static auto& handles = *new Handles<ihipGraph_t>;
  return handles;
}

bool& replaying() {
  thread_local bool now = false;
  return now;
}

hipGraphNode_t add_node(ihipGraph_t& graph, NodeType type, const Operation& operation,
                        const hipGraphNode_t* dependencies, size_t count) {
  require(count == 0 || dependencies, hipErrorInvalidValue,
          "pDependencies is null, but numDependencies is not 0");
  auto node = std::make_unique<hipGraphNode>(hipGraphNode{type, operation, {}});
  for (size_t i = 0; i < count; ++i) {
    require_node(graph, dependencies[i]);
    node->dependencies.push_back(dependencies[i]);
  }
  return graph.nodes.emplace_back(std::move(node)).get();
}

FMHA950_HIP_API hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  return call([&] {
    require(graph && flags == 0, hipErrorInvalidValue, "pGraph is null or flags are not 0");
    *graph = graphs().add(std::make_unique<ihipGraph_t>());
  });
}
FMHA950_HIP_API hipError_t hipGraphDestroy(hipGraph_t graph) {
  return call(AfterFault::release, [&] { graphs().remove(graph, "graph"); });
}
FMHA950_HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph,
                                               hipGraphNode_t* error_node, char* log, size_t log_bytes) {
  if (error_node) *error_node = nullptr;
  if (log && log_bytes) *log = '\0';
  return instantiate(executable, graph);
}
FMHA950_HIP_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                                        unsigned long long) {
  return instantiate(executable, graph);
}
FMHA950_HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  return call(AfterFault::release, [&] { executables().remove(executable, "graphExec"); });
}
FMHA950_HIP_API hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  return call([&] {
    require_stream(stream);
    executables().get(executable, "graphExec");
  });
}
FMHA950_HIP_API hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return call([&] {
    require_stream(stream);
    const std::vector<ihipGraphExec_t::Step> steps = executables().share(executable, "graphExec")->steps;
    enqueue(stream, NodeType::graph, [steps]() -> Work {
      std::vector<Work> all;
      const Replaying replay;
      for (const ihipGraphExec_t::Step& step : steps)
        if (step.operation) all.push_back(step.operation());
      return [all = std::move(all)] {
        for (const Work& each : all) each();
      };
    });
  });
}

// Takes the parameters of a graph of the same shape, such as a second capture.
FMHA950_HIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph,
                                              hipGraphNode_t* error_node, UpdateResult* result) {
  return call([&] {
    std::vector<ihipGraphExec_t::Step>& steps = executables().get(executable, "graphExec").steps;
    std::vector<ihipGraphExec_t::Step> fresh = ordered(graphs().get(graph, "graph"));
    const auto refuse = [&](UpdateResult why, hipGraphNode_t node, const char* text) {
      if (result) *result = why;
      if (error_node) *error_node = node;
      throw CallError(update_failure, text);
    };
    if (fresh.size() != steps.size())
      refuse(topology_changed, nullptr, "the graphs have different numbers of nodes");
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].type != fresh[i].type)
        refuse(type_changed, fresh[i].node, "a node has another type than before");
    for (size_t i = 0; i < steps.size(); ++i) steps[i].operation = std::move(fresh[i].operation);
    if (result) *result = updated;
    if (error_node) *error_node = nullptr;
  });
}

FMHA950_HIP_API hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  return call([&] {
    std::vector<hipGraphNode_t> all;
    for (const auto& node : graphs().get(graph, "graph").nodes) all.push_back(node.get());
    list(all, nodes, count);
  });
}
FMHA950_HIP_API hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  return call([&] {
    std::vector<hipGraphNode_t> roots;
    for (const auto& node : graphs().get(graph, "graph").nodes)
      if (node->dependencies.empty()) roots.push_back(node.get());
    list(roots, nodes, count);
  });
}
FMHA950_HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t node, NodeType* type) {
  return call([&] {
    require(node && type, hipErrorInvalidValue, "node or pType is null");
    *type = node->type;
  });
}
FMHA950_HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                   const hipGraphNode_t* to, size_t count) {
  return call([&] {
    ihipGraph_t& object = graphs().get(graph, "graph");
    require(count == 0 || (from && to), hipErrorInvalidValue, "from or to is null");
    for (size_t i = 0; i < count; ++i) {
      require_node(object, from[i]);
      require_node(object, to[i]);
      to[i]->dependencies.push_back(from[i]);
    }
  });
}

} // namespace fmha950::hip
