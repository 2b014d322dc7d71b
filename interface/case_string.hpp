#pragma once
// The case string: one line that names a problem completely. It is test name, filter key, result key and the
// argument that reproduces a run.
//
//   batch_prefill/h=6:1/sq=128,77/sk=1024,77/d=128/kv=fp8/quant=tensor/page=16/...
//
//   h=Hq:Hkv  sq=,sk= lengths per request (one value with b=N repeats it)  trace=NAME@FIRST+COUNT[/SCALE as
//   :S] d=  q= kv= o= (bf16 fp16 fp8)  quant= (none tensor page mx)  table= (sglang vllm)  layout= (linear
//   vectorized) page=  mode= (batch group)  causal= (0 1)  window=L:R  sink=TOKENS  sinklogit= (0 1)  cap=
//   lse= (0 1)  scale= order= (shuffled sequential lru)  spare=  values=  seed=
// Keys at their default are not printed; keys may be given in any order, each once. print(parse(s)) is
// canonical.

#include "interface/problem.hpp"

#include <string>
#include <string_view>

namespace fmha950 {

Problem
parse_case(std::string_view text); // throws InvalidInput naming the key, its value and what would be right
std::string print_case(const Problem& problem);

} // namespace fmha950
