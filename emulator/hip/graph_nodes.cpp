// Nodes that a program adds to a graph itself.
#include "emulator/hip/copy.hpp"
#include "emulator/hip/graph.hpp"
#include "emulator/hip/launch.hpp"
#include "emulator/hip/launch_log.hpp"
#include "emulator/hip/registration.hpp"

#include <algorithm>

namespace fmha950::hip {
namespace {

// Layouts as AMD's hip_runtime_api.h of HIP 6.
struct KernelNode { // hipKernelNodeParams
  Dim3 block;
  void** extra;
  void* function;
  Dim3 grid;
  void** parameters;
  unsigned dynamic_lds;
};
struct FillNode { // hipMemsetParams
  void* to;
  unsigned element_bytes;
  size_t height, pitch;
  unsigned value;
  size_t width;
};
struct HostNode { // hipHostNodeParams
  void (*function)(void*);
  void* data;
};

// A function of a module, or the host's stub of a kernel.
KernelPointer kernel_of(void* function) {
  if (KernelPointer own = find_kernel(static_cast<hipFunction_t>(function))) return own;
  return require_kernel(registered_function(function));
}

Work fill(const FillNode& node) {
  std::vector<Work> rows;
  for (size_t row = 0; row < std::max<size_t>(node.height, 1); ++row)
    rows.push_back(fill_work(static_cast<char*>(node.to) + row * node.pitch, node.value, node.element_bytes,
                             node.width));
  return [rows = std::move(rows)] {
    for (const Work& each : rows) each();
  };
}

template <class Make>
hipError_t add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
               NodeType type, Make make) {
  return call([&] {
    require(node, hipErrorInvalidValue, "pGraphNode is null");
    *node = add_node(graphs().get(graph, "graph"), type, make(), dependencies, count);
  });
}

} // namespace

FMHA950_HIP_API hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                                 const hipGraphNode_t* dependencies, size_t count,
                                                 const KernelNode* parameters) {
  return add(node, graph, dependencies, count, NodeType::kernel, [&]() -> Operation {
    require(parameters, hipErrorInvalidValue, "pNodeParams is null");
    const KernelNode& p = *parameters;
    return [launch = prepare_launch(kernel_of(p.function), {p.grid, p.block, p.dynamic_lds},
                                    {p.parameters, p.extra})] { return work_of(launch); };
  });
}
FMHA950_HIP_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies, size_t count, void* to,
                                                   const void* from, size_t bytes, int kind) {
  return add(node, graph, dependencies, count, NodeType::copy,
             [&]() -> Operation { return [=] { return copy_work(to, from, bytes, kind); }; });
}
FMHA950_HIP_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                                 const hipGraphNode_t* dependencies, size_t count,
                                                 const FillNode* parameters) {
  return add(node, graph, dependencies, count, NodeType::fill, [&]() -> Operation {
    require(parameters, hipErrorInvalidValue, "pMemsetParams is null");
    return [p = *parameters] { return fill(p); };
  });
}
FMHA950_HIP_API hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                                               const hipGraphNode_t* dependencies, size_t count,
                                               const HostNode* parameters) {
  return add(node, graph, dependencies, count, NodeType::host, [&]() -> Operation {
    require(parameters && parameters->function, hipErrorInvalidValue, "pNodeParams or its fn is null");
    return [p = *parameters]() -> Work { return [p] { log_callback(), p.function(p.data); }; };
  });
}
FMHA950_HIP_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                                const hipGraphNode_t* dependencies, size_t count) {
  return add(node, graph, dependencies, count, NodeType::empty, []() -> Operation { return {}; });
}

} // namespace fmha950::hip
