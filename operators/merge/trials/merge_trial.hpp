#pragma once
// What merge's probes are made of.

#include "harness/probe/probe.hpp"
#include "operators/merge/generate.hpp"
#include "operators/merge/merge_form.hpp"

#include <optional>

namespace fmha950::harness {

struct MergeShape {
  int parts = 3, heads = 2, tokens = 5, columns = 128;
};

struct MergeTypes {
  ElementType in = ElementType::fp32, out = ElementType::bf16;
};

// Each pair that kernels are made for, by the name that probes give it.
std::vector<std::pair<std::string, MergeTypes>> merge_types();

// With LSE.
Problem merge_problem(const MergeShape& shape, MergeTypes types = {});

// With the problem's usual values, but for those that are given.
Probe merge_probe(std::string name, std::string reason, const Problem& problem,
                  decltype(operators::PartSource::lses) lses = nullptr,
                  decltype(operators::PartSource::output) output = nullptr);

} // namespace fmha950::harness
