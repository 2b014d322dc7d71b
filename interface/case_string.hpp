#pragma once
// The case string: one line that names a problem completely. It is test name, filter key, result key and the
// argument that reproduces a run.
//
//   batch_prefill/h=6:1/sq=128,77/sk=1024,77/d=128/kv=fp8/quant=tensor/page=16/...
//
//   h=Hq:Hkv                    query and KV heads (required)
//   b=N                         number of requests, where sq and sk have one value each
//   sq=, sk=                    query and key lengths, one per request; one value stands for all of them
//   trace=NAME@FIRST+COUNT[:S]  instead of b, sq, sk: requests of data/traces/NAME.csv, lengths divided by S
//   d=                          head dimension
//   q=, kv=, o=                 bf16 fp16 fp8
//   quant=                      none tensor page mx
//   table=                      sglang vllm
//   layout=                     linear vectorized
//   page=                       tokens of a page
//   paged=, strided=            0 1: pages looked up in tables, or consecutive; pages with gaps between them
//   mode=                       batch group
//   causal=, sinklogit=, lse=   0 1
//   window=L:R, sink=TOKENS     sliding window, and the first keys that it never hides
//   cap=, scale=                soft cap, softmax scale
//   order=                      shuffled sequential lru
//   spare=                      pages that no request names
//   values=, seed=              see harness/workload
//
// Keys may be given in any order, each once. Printed are h, the lengths, d, and what is not at its default,
// in the order above: print_case(parse_case(s)) is canonical.

#include "interface/problem.hpp"

#include <string>
#include <string_view>

namespace fmha950 {

// Throws InvalidInput naming the key, its value and what would be right. A trace is not read: requests stay
// empty.
Problem parse_case(std::string_view text);
std::string print_case(const Problem& problem);

} // namespace fmha950
