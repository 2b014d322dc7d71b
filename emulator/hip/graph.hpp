#pragma once
// Graphs: operations with dependencies. An instantiated graph is a list of operations, whose work is one piece of work of
// the stream that it is launched in.

#include "emulator/hip/handles.hpp"
#include "emulator/hip/work_queue.hpp"

using hipGraphNode_t = struct hipGraphNode*;
using hipGraph_t = struct ihipGraph_t*;
using hipGraphExec_t = struct ihipGraphExec_t*;

namespace fmha950::hip {

// Checks what may have gone since it was made, and gives what is left to do. Throws CallError.
using Operation = std::function<Work()>;

enum class NodeType : int {
  kernel,
  copy,
  fill,
  host,
  graph,
  empty,
  wait_event,
  record_event
}; // hipGraphNodeType

Handles<ihipGraph_t>& graphs();

bool& replaying(); // whether the calling thread makes the work of a graph that is launched

// Behind `dependencies`, nodes of the same graph. Throws CallError.
hipGraphNode_t add_node(ihipGraph_t& graph, NodeType type, const Operation& operation,
                        const hipGraphNode_t* dependencies, size_t count);

} // namespace fmha950::hip

struct hipGraphNode {
  fmha950::hip::NodeType type;
  fmha950::hip::Operation operation;
  std::vector<hipGraphNode_t> dependencies;
};

struct ihipGraph_t {
  std::vector<std::unique_ptr<hipGraphNode>> nodes; // in the order in which they were added
};

struct ihipGraphExec_t {
  struct Step {
    hipGraphNode_t node; // of the graph; a name alone, the graph may be gone
    fmha950::hip::NodeType type;
    fmha950::hip::Operation operation;
  };
  std::vector<Step> steps; // each behind those that it depends on
};
