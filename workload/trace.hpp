#pragma once
// Requests of recorded serving traces (data/traces, sources in data/SOURCES.md) as problems.
//
//   conversation      Mooncake FAST'25 conversation, rows 0-999, prefix cache empty at the start
//   conversation_mid  the same, rows 6000-6999, query lengths with the cache warmed by rows 0-5999
//   toolagent         Mooncake FAST'25 tool and agent, rows 0-358: two fixed prompts carry half of it
//   synthetic         Mooncake FAST'25 synthetic, rows 0-999
//   azure_code, azure_conv   Azure 2023, first 2000 rows: no prefix sharing, query length = key length
//
// The key length of a request is its prompt. Its query length is the part of the prompt that an unbounded
// prefix cache of 512-token blocks has not seen in earlier rows, at least 1.

#include "interface/problem.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::workload {

inline constexpr int trace_block_tokens = 512;

struct TraceRow {
  int input_length = 0;  // tokens of the prompt
  int output_length = 0; // tokens generated
  int query_length = 0;  // uncached tokens of the prompt
  // One id per block of 512 prompt tokens, the last one possibly partial; equal ids stand for equal text
  // after an equal prefix. Empty when the trace has none.
  std::vector<int64_t> blocks;
};

std::vector<std::string_view> trace_names();

// Reads one CSV file. Throws InvalidInput naming file, line and field.
std::vector<TraceRow> read_trace(const std::filesystem::path& file);

// A trace by name, read once. Throws InvalidInput listing the names.
const std::vector<TraceRow>& load_trace(const std::string& name);

// The rows of a slice. Throws InvalidInput when it is empty or leaves the trace.
std::span<const TraceRow> slice_rows(const TraceSlice& slice);

// Lengths of a slice, divided by its scale.
std::vector<Request> trace_requests(const TraceSlice& slice);

// Sets problem.requests from problem.trace; without a trace does nothing.
void resolve_trace(Problem& problem);

// Identity of the content of a page: page `i` of a prompt together with all text before it.
using PageKey = uint64_t;

// Keys of the full pages of a prompt whose lengths are divided by scale_down: token t of the scaled prompt
// stands for block t * scale_down / 512, so prefixes that share blocks share pages at every scale. Empty
// without blocks.
std::vector<PageKey> page_keys(const TraceRow& row, int scale_down, int page_size);

// For every request of the problem; all empty without a trace.
std::vector<std::vector<PageKey>> page_keys(const Problem& problem);

} // namespace fmha950::workload
