#pragma once
// A planner: a program of the manifest's folder that makes what work lists cannot say (key splits, stream-K), once for
// each case. It gets one argument more than the manifest says, a folder with case.json and the case's tables as .npy
// files. There it leaves plan.json with the scalars, and each table as NAME.npy.

#include "harness/external/manifest.hpp"
#include "harness/foreign/array.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <map>
#include <string>

namespace fmha950::harness::external {

inline constexpr int planner_seconds = 60;

struct Planned {
  std::map<std::string, Array> tables;
  std::map<std::string, Value> scalars;
};

// `scope`: the case's names, which go into case.json. Throws InvalidInput: with its last words if it fails, takes too long
// or leaves out what it must make.
Planned run_planner(const Manifest& manifest, const Problem& problem, const Tensors& host, const Scope& scope,
                    int seconds = planner_seconds);

} // namespace fmha950::harness::external
