#include "workload/trace.hpp"

#include "interface/error.hpp"
#include "interface/operator.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>

namespace fmha950::workload {
namespace {

struct TraceFile {
  std::string_view name, file;
  std::string_view query_lengths; // file that replaces those of a cache that starts empty
};
constexpr TraceFile trace_files[] = {
    {"conversation", "traces/mooncake_conversation_1000.csv", {}},
    {"conversation_mid", "traces/mooncake_conversation_mid_1000.csv",
     "traces/derived_conv_mid_prefill_1000.csv"},
    {"toolagent", "traces/mooncake_toolagent_359.csv", {}},
    {"synthetic", "traces/mooncake_synthetic_1000.csv", {}},
    {"azure_code", "traces/azure_code_2000.csv", {}},
    {"azure_conv", "traces/azure_conv_2000.csv", {}},
};
constexpr int64_t longest_prompt = 1 << 20;

int blocks_of(int tokens) { return (tokens + trace_block_tokens - 1) / trace_block_tokens; }

// Query lengths under an unbounded cache that is empty before the first row.
void set_query_lengths(std::vector<TraceRow>& rows) {
  std::unordered_set<int64_t> seen;
  for (TraceRow& row : rows) {
    const auto fresh = std::ranges::find_if(row.blocks, [&](int64_t id) { return !seen.contains(id); });
    const auto cached = static_cast<int>(fresh - row.blocks.begin()) * trace_block_tokens;
    row.query_length = std::max(1, row.input_length - cached);
    seen.insert(row.blocks.begin(), row.blocks.end());
  }
}

void read_query_lengths(const std::filesystem::path& file, std::vector<TraceRow>& rows) {
  const CsvTable table(file);
  if (table.rows() != rows.size())
    throw InvalidInput("file", file.string(),
                       fmt::format("has {} rows, its trace has {}", table.rows(), rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto keys = table.integer(i, "kv_len", 1, longest_prompt);
    if (keys != rows[i].input_length)
      throw InvalidInput(table.place(i, "kv_len"), std::to_string(keys),
                         fmt::format("must be the trace's input_length {}", rows[i].input_length));
    rows[i].query_length = static_cast<int>(table.integer(i, "q_len", 1, keys));
  }
}

// Mixes a value into a running hash (the finaliser of splitmix64).
uint64_t mix(uint64_t state, uint64_t value) {
  state += value + 0x9E3779B97F4A7C15u;
  state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
  state = (state ^ state >> 27) * 0x94D049BB133111EBu;
  return state ^ state >> 31;
}

} // namespace

std::vector<std::string_view> trace_names() {
  std::vector<std::string_view> names;
  for (const TraceFile& entry : trace_files) names.push_back(entry.name);
  return names;
}

std::vector<TraceRow> read_trace(const std::filesystem::path& file) {
  const CsvTable table(file);
  const bool has_blocks = table.has("hash_ids");
  std::vector<TraceRow> rows(table.rows());
  for (size_t i = 0; i < rows.size(); ++i) {
    TraceRow& row = rows[i];
    row.input_length = static_cast<int>(table.integer(i, "input_length", 1, longest_prompt));
    row.output_length = static_cast<int>(table.integer(i, "output_length", 0, longest_prompt));
    if (!has_blocks) continue;
    row.blocks = table.integers(i, "hash_ids");
    const auto needed = static_cast<size_t>(blocks_of(row.input_length));
    if (row.blocks.size() != needed)
      throw InvalidInput(
          table.place(i, "hash_ids"), fmt::format("{} ids", row.blocks.size()),
          fmt::format("must be {}, one per 512 tokens of input_length {}", needed, row.input_length));
  }
  set_query_lengths(rows);
  return rows;
}

const std::vector<TraceRow>& load_trace(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<TraceRow>> loaded;
  const std::scoped_lock lock(mutex);
  if (const auto known = loaded.find(name); known != loaded.end()) return known->second;
  const auto entry = std::ranges::find(trace_files, name, &TraceFile::name);
  if (entry == std::end(trace_files))
    throw InvalidInput("trace", name, fmt::format("must be one of {}", fmt::join(trace_names(), ", ")));
  auto rows = read_trace(data_file(entry->file));
  if (!entry->query_lengths.empty()) read_query_lengths(data_file(entry->query_lengths), rows);
  return loaded.emplace(name, std::move(rows)).first->second;
}

std::span<const TraceRow> slice_rows(const TraceSlice& slice) {
  const auto& rows = load_trace(slice.name);
  const auto size = static_cast<int64_t>(rows.size());
  if (slice.first < 0 || slice.count < 1 || int64_t{slice.first} + slice.count > size)
    throw InvalidInput("trace", fmt::format("{}@{}+{}", slice.name, slice.first, slice.count),
                       fmt::format("must name at least one and only rows 0 to {}", size - 1));
  if (slice.scale_down < 1)
    throw InvalidInput("trace", fmt::format("scale {}", slice.scale_down), "must be at least 1");
  return std::span(rows).subspan(slice.first, slice.count);
}

std::vector<Request> trace_requests(const TraceSlice& slice) {
  std::vector<Request> requests;
  for (const TraceRow& row : slice_rows(slice))
    requests.push_back({.query_length = std::max(1, row.query_length / slice.scale_down),
                        .key_length = std::max(1, row.input_length / slice.scale_down)});
  return requests;
}

void resolve_trace(Problem& problem) {
  if (problem.trace) problem.requests = trace_requests(*problem.trace);
}

std::vector<PageKey> page_keys(const TraceRow& row, int scale_down, int page_size) {
  std::vector<PageKey> keys;
  if (row.blocks.empty()) return keys;
  const int64_t page_tokens = int64_t{page_size} * scale_down; // of the unscaled prompt
  const int full_pages = row.input_length / scale_down / page_size;
  uint64_t prefix = 0;
  int64_t hashed = 0;
  for (int64_t page = 0; page < full_pages; ++page) {
    const int64_t last_block = ((page + 1) * page_tokens - 1) / trace_block_tokens;
    for (; hashed <= last_block; ++hashed) prefix = mix(prefix, static_cast<uint64_t>(row.blocks[hashed]));
    keys.push_back(mix(prefix, static_cast<uint64_t>(page)));
  }
  return keys;
}

std::vector<std::vector<PageKey>> page_keys(const Problem& problem) {
  std::vector<std::vector<PageKey>> keys(problem.requests.size());
  if (!problem.trace) return keys;
  const auto rows = slice_rows(*problem.trace);
  for (size_t b = 0; b < rows.size(); ++b) {
    keys[b] = page_keys(rows[b], problem.trace->scale_down, problem.page_size);
    // A page that the chunk is appended to is nobody else's.
    if (!problem.op->facts().appends) continue;
    const auto old_pages = static_cast<size_t>(old_tokens(problem, problem.requests[b]) / problem.page_size);
    keys[b].resize(std::min(keys[b].size(), old_pages));
  }
  return keys;
}

} // namespace fmha950::workload
