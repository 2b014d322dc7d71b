#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/csv_table.hpp"
#include "workload/model_shapes.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::workload;

namespace {

std::string trace_error(const std::string& text) {
  const TemporaryFolder folder;
  try {
    read_trace(folder.write("t.csv", text));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("malformed traces are refused with file, line and field") {
  const std::string header = "timestamp_ms,input_length,output_length,hash_ids\n";
  CHECK(trace_error(header + "0,512,1,7\n0,-3,1,7\n") ==
        "t.csv:3: input_length = -3: must be an integer from 1 to 1048576");
  CHECK(trace_error(header + "0,5x,1,7\n") ==
        "t.csv:2: input_length = 5x: must be an integer from 1 to 1048576");
  CHECK(trace_error(header + "0,512,,7\n") ==
        "t.csv:2: output_length = : must be an integer from 0 to 1048576");
  CHECK(trace_error(header + "0,512,1\n") == "t.csv:2 = 0,512,1: has 3 fields, the header has 4");
  CHECK(trace_error(header + "0,513,1,7\n") ==
        "t.csv:2: hash_ids = 1 ids: must be 2, one per 512 tokens of input_length 513");
  CHECK(trace_error(header + "0,513,1,7 x\n") ==
        "t.csv:2: hash_ids = x: must be integers separated by one blank");
  CHECK(trace_error("a,b\n0,1\n") == "t.csv:1 = a,b: lacks the column input_length");
  CHECK_THAT(trace_error(""), Catch::Contains("is empty, a header line is needed"));
}

TEST_CASE("a query is the part of its prompt that no earlier row had") {
  const TemporaryFolder folder;
  const auto rows = read_trace(folder.write("t.csv", "input_length,output_length,hash_ids\n"
                                                     "1000,1,1 2\n"   // nothing seen
                                                     "1500,1,1 2 3\n" // two blocks seen
                                                     "1024,1,1 2\n"   // all seen: one token is still computed
                                                     "1024,1,9 2\n"   // a hit behind a miss does not count
                                            ));
  CHECK(rows[0].query_length == 1000);
  CHECK(rows[1].query_length == 1500 - 1024);
  CHECK(rows[2].query_length == 1);
  CHECK(rows[3].query_length == 1024);
}

TEST_CASE("the recorded traces have the published figures") {
  // data/STATS.md sections 1 and 2: mean prompt and mean uncached part.
  const auto mean = [](const std::string& name, int TraceRow::* member) {
    double sum = 0;
    for (const TraceRow& row : load_trace(name)) sum += row.*member;
    return sum / static_cast<double>(load_trace(name).size());
  };
  CHECK(mean("conversation", &TraceRow::input_length) == Approx(13733).margin(0.5));
  CHECK(mean("toolagent", &TraceRow::input_length) == Approx(9527).margin(0.5));
  CHECK(mean("toolagent", &TraceRow::query_length) == Approx(6487).margin(0.5));
  CHECK(mean("conversation_mid", &TraceRow::query_length) == Approx(7312).margin(0.5));
  CHECK(mean("synthetic", &TraceRow::input_length) == Approx(11852).margin(0.5));
  CHECK(mean("azure_code", &TraceRow::query_length) == Approx(1987).margin(0.5));
  CHECK(mean("azure_conv", &TraceRow::query_length) == Approx(1105).margin(0.5));
}

TEST_CASE("a slice divides lengths and never below one token") {
  const auto whole = trace_requests({"azure_conv", 0, 4, 1});
  CHECK(whole[0] == Request{374, 374});
  const auto scaled = trace_requests({"azure_conv", 0, 4, 100});
  CHECK(scaled[0] == Request{3, 3});
  CHECK(trace_requests({"azure_conv", 0, 1, 1000})[0] == Request{1, 1});
  CHECK_THROWS_WITH(
      trace_requests({"azure", 0, 1, 1}),
      "trace = azure: must be one of conversation, conversation_mid, toolagent, synthetic, azure_code, "
      "azure_conv");
  CHECK_THROWS_WITH(trace_requests({"toolagent", 350, 10, 1}),
                    "trace = toolagent@350+10: must name at least one and only rows 0 to 358");
}

TEST_CASE("pages of equal prefixes have equal keys at every scale") {
  const TraceRow a{1600, 0, 1600, {1, 2, 3, 4}}, b{1536, 0, 1536, {1, 2, 8}};
  for (int scale : {1, 2, 4, 16})
    for (int page : {1, 16, 64}) {
      const auto x = page_keys(a, scale, page), y = page_keys(b, scale, page);
      CHECK(x.size() == static_cast<size_t>(1600 / scale / page));
      size_t equal = 0;
      while (equal < y.size() && x[equal] == y[equal]) ++equal;
      CHECK(equal == static_cast<size_t>(1024 / scale / page)); // tokens of the two common blocks
    }
  CHECK(page_keys(TraceRow{100, 0, 100, {}}, 1, 16).empty());
}

TEST_CASE("model shapes divide over ranks") {
  const auto shapes = load_model_shapes();
  CHECK(shapes.size() == 36);
  const auto find = [&](const std::string& name) {
    return *std::find_if(shapes.begin(), shapes.end(), [&](const ModelShape& s) { return s.model == name; });
  };
  CHECK(find("Llama-3.1-70B").shard(8).case_keys() == "h=8:1/d=128");
  CHECK(find("Qwen3-235B-A22B").shard(8).case_keys() == "h=8:1/d=128"); // four KV heads, each on two ranks
  CHECK(find("gpt-oss-20b (SWA layers)").case_keys() == "h=64:8/d=64/window=127:0/sinklogit=1");
  CHECK_THROWS_WITH(find("Qwen2.5-7B").shard(8), Catch::Contains("must divide the 28 query heads"));
  const TemporaryFolder folder;
  const auto file = folder.write(
      "m.csv", "model,layers,q_heads,kv_heads,head_dim,window,sink,v_head_dim,sparse_topk,notes\n"
               "\"A, \"\"b\"\"\",1,8,1,128,,maybe,128,,\n");
  CHECK_THROWS_WITH(read_model_shapes(file), "m.csv:2: sink = maybe: must be yes or no");
  CHECK(CsvTable(file).text(0, "model") == "A, \"b\"");
}
