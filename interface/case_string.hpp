#pragma once
// The case string: one line that names a problem completely. It is test name, filter key, result key and the
// argument that reproduces a run.
//
//   batch_prefill/h=6:1/sq=128,77/sk=1024,77/d=128/kv=fp8/quant=tensor/page=16/...
//
// The keys of each operator are tables in its folder (operators/*/keys.cpp);
// docs/harness.md, "The case string", describes them.
//
// Keys may be given in any order, each once. Printed are those that are required, the lengths, d, and what
// is not at its default, in the order above: print_case(parse_case(s)) is canonical.

#include "interface/problem.hpp"

#include <string>
#include <string_view>

namespace fmha950 {

// Throws InvalidInput naming the key, its value and what would be right.
// A trace is not read: requests stay empty.
Problem parse_case(std::string_view text);
std::string print_case(const Problem& problem);

} // namespace fmha950
