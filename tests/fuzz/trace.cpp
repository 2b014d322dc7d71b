// The reader of trace files (and of CSV below it).
#include "workload/trace.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace fmha950::fuzz {
namespace {

void trace(Bytes input) {
  const MemoryFile file(input);
  try {
    for (const workload::TraceRow& row : workload::read_trace(file.path())) {
      ensure(row.input_length >= 1 && row.output_length >= 0, "lengths are in range");
      ensure(row.query_length >= 1 && row.query_length <= row.input_length, "queries are part of the prompt");
      for (int scale_down : {1, 3, 64})
        for (int page_size : {1, 16, 1024}) {
          const auto keys = workload::page_keys(row, scale_down, page_size);
          const auto pages = static_cast<size_t>(row.input_length / scale_down / page_size);
          ensure(keys.size() == (row.blocks.empty() ? 0 : pages), "every full page has a key");
        }
    }
  } catch (const InvalidInput&) {
  }
}

const Registration registration("trace", trace);

} // namespace
} // namespace fmha950::fuzz
