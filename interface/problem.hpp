#pragma once
// A problem: everything that defines one attention computation but the values themselves.
// DESIGN.md section 2 fixes the meanings; case_string.hpp gives the one-line text form.

#include "interface/operator_name.hpp"
#include "interface/own_part.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950 {

// fp8 = OCP e4m3fn. mxfp4 = OCP e2m1, two in a byte, the first of them in its lower half; scales are of their own.
enum class ElementType : uint8_t { bf16, fp16, fp8, e8m0, fp32, int32, mxfp4 };
enum class PageTable : uint8_t { sglang, vllm };           // 1-D indptr lists, 2-D block table
enum class KvLayout : uint8_t { linear, vectorized, hnd }; // tensors.hpp
enum class Quantisation : uint8_t { none, per_tensor, page, mx };
enum class BatchMode : uint8_t { batch, group }; // equal query lengths without q_indptr, or ragged with it
// lru: the allocator's order after churn (STATS.md 4).
enum class PageOrder : uint8_t { shuffled, sequential, lru };

int element_bits(ElementType type);
int element_bytes(ElementType type); // throws std::logic_error for types of less than a byte
int64_t stored_bytes(ElementType type, int64_t elements);

struct Request {
  int query_length = 0;
  int key_length = 0;
  bool operator==(const Request&) const = default;
};

// Requests [first, first + count) of a trace in data/traces, lengths divided by `scale_down` (at least 1
// token each).
struct TraceSlice {
  std::string name;
  int first = 0;
  int count = 0;
  int scale_down = 1;
  bool operator==(const TraceSlice&) const = default;
};

struct Window { // sliding window, query i of a request sees a - left <= j <= a + right, a = Lk - Lq + i
  int left = 0;
  int right = 0;
  bool operator==(const Window&) const = default;
};

inline constexpr int most_calls = 1024;
inline constexpr int most_tree_nodes = 64; // a row of a tree's mask is 64 bits

// What operators share; `own` is what one of them has alone. Fields of pages are those of operators whose keys are in
// pages, and at their defaults elsewhere.
struct Problem {
  OperatorName op = "batch_prefill";
  OwnPart own;
  int query_heads = 1;
  int kv_heads = 1;
  int head_dim = 128;                // columns of Q and K
  std::optional<int> value_head_dim; // columns of V and of the output; absent: as many
  std::vector<Request> requests;     // resolved from `trace` when that is set
  std::optional<TraceSlice> trace;   // where the requests come from, if not from the case string itself
  ElementType query_type = ElementType::bf16;
  ElementType kv_type = ElementType::bf16;
  ElementType output_type = ElementType::bf16;
  Quantisation quantisation = Quantisation::none;
  PageTable page_table = PageTable::sglang;
  KvLayout kv_layout = KvLayout::linear;
  int page_size = 16; // tokens
  // false: page n of the batch, request after request, is page n of the pool, so that an implementation may
  // compute addresses without the tables, which are given all the same. Requests share no pages then.
  bool paged = true;
  // K and V are views into one allocation, with other bytes between their pages (DeviceTensors' page strides).
  bool strided = false;
  // K and V are one pool, [pages, 2, ...]: a page of V lies behind the page of K (DeviceTensors). Not with `strided`.
  bool interleaved = false;
  BatchMode mode = BatchMode::group;
  bool causal = false;
  std::optional<Window> window;
  int sink_tokens = 0; // first keys that a sliding window never hides
  // A draft tree of speculative decoding, 0: none. With n = min(tree_nodes, Lq, Lk) the last n queries of each request are nodes
  // 0 to n - 1 of its tree, and its last n keys are theirs. A node sees of these keys only those whose bits in its row of
  // Tensors::tree_mask are set. Else masks are what they are without a tree: it hides keys and shows none. Needs `causal`.
  int tree_nodes = 0;
  bool sink_logit = false; // per-head natural-log score in the denominator
  float soft_cap = 0;      // 0: none
  bool lse = false;        // natural-log LSE output, fp32
  // A request's bits do not depend on what else is in the batch: not on the number, lengths and order of other requests.
  bool batch_invariant = false;
  std::optional<float> scale; // softmax scale; absent: 1/sqrt(head_dim)
  PageOrder page_order = PageOrder::shuffled;
  int spare_pages = 3;           // pages of the pool that no request names; filled with NaN bytes
  std::string values = "normal"; // normal | outlier | activations:<layer>: see workload
  uint64_t seed = 1;
  // For operators that append: the chunk of every request (the last query_length tokens of its key_length) comes in as
  // many calls, of uneven lengths. Implementations only get problems with one call.
  int calls = 1;

  float softmax_scale() const;
  int64_t total_queries() const;
  int heads_per_kv_head() const { return query_heads / kv_heads; } // query heads that share a KV head
  int max_query_length() const;
  int max_key_length() const;
  int tree_nodes_of(const Request& request) const {
    return std::min({tree_nodes, request.query_length, request.key_length});
  }
  int pages_of(const Request& request) const { return (request.key_length + page_size - 1) / page_size; }
  int value_columns() const { return value_head_dim.value_or(head_dim); }
  int64_t page_elements() const { return int64_t{page_size} * kv_heads * head_dim; }              // of K
  int64_t value_page_elements() const { return int64_t{page_size} * kv_heads * value_columns(); } // of V
  bool operator==(const Problem&) const = default;
};

} // namespace fmha950
