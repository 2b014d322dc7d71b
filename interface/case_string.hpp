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
//   values=, seed=              see workload
//
// append_prefill, whose cache is fp8 with a scale per tensor (tensors.hpp); sk counts the chunk of sq tokens:
//
//   append_prefill/h=32:8/sq=100,7/sk=612,7/d=128/q=bf16/page=64/causal=1/calls=3
//
//   q=                          bf16 fp16: Q, the chunk's K and V, and the output
//   calls=                      number of calls of uneven lengths that the chunk comes in
//   h, b, sq, sk, trace, d, table, page, mode, causal, sinklogit, cap, lse, scale, order, spare, values, seed
//                               as above; none of the others
//
// sparse_prefill (sparse_lists.hpp, sparse_tensors.hpp), which takes none of the above but kv, sinklogit,
// lse, scale, values and seed:
//
//   sparse_prefill/h=64/n=128/pool=1024/chunk=256/kv=fp8/format=packed/scale=0.0442/sinklogit=1
//
//   h=Hq                        query heads, which share one KV head (required)
//   n=, pool=, chunk=           tokens, rows of the pool, rows of the chunk (required)
//   kv=                         bf16 fp8: rows of Q and KV alike
//   format=                     split packed: of fp8 rows
//   lists=                      sparse dense empty
//   prefix=, extend=            instead of lists: rows in each token's list; one value stands for all tokens
//   scale=                      softmax scale (required: the operator implies none)
//   sinklogit=, lse=, values=, seed=   as above
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
