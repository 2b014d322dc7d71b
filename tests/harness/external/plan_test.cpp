// A case planned by a manifest: what is refused then, and what of it counts.
#include "harness/cases/case_memory.hpp"
#include "harness/external/external_plan.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"
#include "workload/generate.hpp"

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;
using nlohmann::json;

namespace {

// On the fake HIP library, which loads nothing.
struct Planning : ManifestFolder {
  Manifest read_now;
  Problem problem;
  Tensors host;
  DeviceTensors device;

  explicit Planning(const std::string& case_string =
                        "batch_prefill/h=8:2/sq=20,40/sk=100,50/q=fp8/kv=fp8/quant=tensor/d=128/page=16")
      : problem(parse_case(case_string)), host(workload::make_tensors(problem)) {
    hip::api().SetOption("modules", "load");
    device.q = host.q.data();
    device.k_pool = host.k_pool.data();
    device.output = this;
    patch(R"([{"op": "remove", "path": "/planner"}, {"op": "remove", "path": "/planned"},
              {"op": "remove", "path": "/launches/2"}, {"op": "add", "path": "/define/0", "value": {"splits": 1}}])");
  }
  ~Planning() { hip::api().SetOption("modules", ""); }

  std::unique_ptr<ExternalPlan> plan() {
    read_now = read();
    for (const auto& [name, object] : read_now.objects)
      hip::register_code_object(read_now.name + "/" + name, object->code());
    return std::make_unique<ExternalPlan>(read_now, problem, host, device);
  }
  std::string said() {
    try {
      plan();
      return "planned";
    } catch (const InvalidInput& error) {
      return without_path(error.what());
    }
  }
};

std::string said_with(const std::string& pointer, const nlohmann::json& value) {
  Planning planning;
  planning.set(pointer, value);
  return planning.said();
}

const std::string file = "FOLDER/m.json: ";

} // namespace

TEST_CASE("external plans: the sound one is planned") {
  Planning planning;
  planning.set("/define/0/splits", 2);
  const auto plan = planning.plan();
  CHECK(plan->variant() == "kernels.co/scale_add+kernels.co/by_struct");
  // Tiles of 16 queries of two requests, 20 and 40 queries, in two heads: 2 * (2 + 3) entries of 24 bytes.
  CHECK(plan->workspace_bytes() == 10 * 24 + 4096);
  CHECK(plan->query_tile() == 16);
  CHECK(plan->deterministic());
  CHECK(plan->probability_rounding().type == ElementType::bf16);
  // The order is that of the keys: request 0 has more, so its tiles come first. Query 17 is in its second tile.
  const std::vector<LaunchWorkgroups> needed = plan->workgroups_for({{0, 17}});
  REQUIRE(needed.size() == 2);
  CHECK(needed[0].workgroups == std::vector<uint32_t>{1, 3});
  CHECK(needed[0].work == std::vector<uint32_t>{100, 100, 100, 100, 50, 50, 50, 50, 50, 50});
  CHECK(needed[1].workgroups.empty()); // the grid's: queries from 8 x on, eight of them where y is 0
  CHECK(plan->workgroups_for({{0, 9}})[1].workgroups == std::vector<uint32_t>{1});
  CHECK(plan->workgroups_for({{1, 9}})[1].workgroups.empty());
}

TEST_CASE("external plans: grids, blocks and LDS") {
  const std::string grid = file + "launches[0].grid, column 1 = ";
  CHECK(said_with("/launches/0/grid", "work.length - 10") ==
        grid + "0 (work.length - 10): must be from 1 to 2147483647");
  CHECK(said_with("/launches/0/grid", -1) == grid + "-1 (-1): must be from 1 to 2147483647");
  CHECK(said_with("/launches/0/grid", "work.length / 2") == grid + "5 (work.length / 2): must be an integer");
  CHECK(said_with("/launches/0/grid", 2.5) == grid + "2.5 (2.5): must be an integer");
  CHECK(said_with("/launches/0/grid", "kv") == grid + "'fp8' (kv): must be an integer");
  CHECK(said_with("/launches/0/grid", "2147483648") ==
        grid + "2147483648 (2147483648): must be from 1 to 2147483647");
  CHECK(said_with("/launches/0/grid", "9223372036854775807 + work.length") ==
        grid + "9223372036854775807 + work.length: must fit into 64 bits with a sign");
  // Their product is 2^64, which is 0 in 64 bits.
  CHECK(said_with("/launches/0/grid", {1073741824, 1073741824, 16}) ==
        file + "launches[0].grid = 1073741824 x 1073741824 x 16 workgroups: must be at most 16777216");
  CHECK(said_with("/launches/0/block", 65) == file + "launches[0].block = 65,1,1: must have at most 64 "
                                                     "work-items: kernel scale_add was compiled for as many");
  CHECK(said_with("/launches/0/block", {32, 2, 2}) ==
        file + "launches[0].block = 32,2,2: must have at most 64 work-items: kernel scale_add was compiled "
               "for as many");
  CHECK(said_with("/launches/0/block", 2000) ==
        file + "launches[0].block, column 1 = 2000 (2000): must be from 1 to 1024");
  CHECK(said_with("/launches/0/lds", 163841) == file + "launches[0].lds = 163841: must be at most 163840: "
                                                       "gfx950 has 163840 bytes for a workgroup, of which "
                                                       "kernel scale_add takes 0");
  CHECK(said_with("/launches/0/lds", -1) ==
        file + "launches[0].lds, column 1 = -1 (-1): must be from 0 to 1048576");
  CHECK(said_with("/launches/0/when", "page_size // (batch - 2)") ==
        file + "launches[0].when, column 1 = page_size // (batch - 2): must not divide by zero");
  Planning none;
  none.set("/define/0/splits", 2).set("/launches/1/kernels/0/when", "kv == 'bf16'");
  CHECK(none.said() == file + "launches[1].kernels = none: must have one whose `when` holds for this case");
}

TEST_CASE("external plans: arguments that their types do not hold") {
  const auto argument = [](const char* text) { return said_with("/launches/0/arguments/2", text); };
  const std::string place = file + "launches[0].arguments[2], column 5 = ";
  CHECK(argument("i32:2147483647") == "planned");
  CHECK(argument("i32:2147483648") ==
        place + "2147483648 (2147483648): must be an integer from -2147483648 to 2147483647 (int32)");
  CHECK(argument("u32:0 - batch") ==
        place + "-2 (0 - batch): must be an integer from 0 to 4294967295 (uint32)");
  CHECK(argument("i32:batch / 2") == place + "1 (batch / 2): is a real number, must be an integer (int32)");
  CHECK(argument("i32:kv") == place + "'fp8' (kv): is a text, must be a number");
  CHECK(argument("i32:k_pool == null") == "planned"); // 0
  CHECK_THAT(argument("i32:k_pool"), Catch::EndsWith("(k_pool): is a pointer, must be a number"));
  CHECK(argument("f32:1e-60") == place + "1e-60 (1e-60): is too small for float32: it would become 0");
  CHECK(argument("f32:0.0") == "planned");
  CHECK(argument("f32:1e39") == place + "1e+39 (1e39): is beyond the range of float32");
  CHECK(said_with("/launches/0/arguments/3", "f32@20:1e39 * batch") ==
        file + "launches[0].arguments[3], column 8 = 2e+39 (1e39 * batch): is beyond the range of float32");
  CHECK(said_with("/launches/0/arguments/0", "ptr:batch") ==
        file + "launches[0].arguments[0], column 5 = 2 (batch): is an integer, must be a pointer");
  CHECK(said_with("/launches/0/arguments/0", "ptr:lse + 4") ==
        file + "launches[0].arguments[0], column 5 = lse + 4: must not count from null");
  CHECK(said_with("/lists/work/entry/0", "i8:64 * (r + 1)") ==
        file +
            "lists.work.entry[0], column 4 = 128 (64 * (r + 1)): must be an integer from -128 to 127 (int8)");
  Planning structure;
  structure.set("/define/0/splits", 2).set("/launches/1/arguments/0/struct/3", "i16:32768");
  CHECK(structure.said() ==
        file + "launches[1].arguments[0].struct[3], column 5 = 32768 (32768): must be an integer "
               "from -32768 to 32767 (int16)");
}

TEST_CASE("external plans: rows of workgroups") {
  const std::string rows = file + "launches[0].rows";
  CHECK(said_with("/launches/0/rows/request", "r + 1") ==
        rows + ", entry 4 = request 2: must be from 0 to 1");
  CHECK(said_with("/launches/0/rows/request", "-1") == rows + ", entry 0 = request -1: must be from 0 to 1");
  CHECK(said_with("/launches/0/rows/request", "r / 1") ==
        rows + ".request, column 1 = 0: must be an integer");
  CHECK(said_with("/launches/0/rows/first", "first - 1") ==
        rows + ", entry 0 = queries from -1 on, 16 of them: must begin at 0 or behind it, and be 0 or more");
  CHECK(said_with("/launches/0/rows/first", "-9223372036854775808")
            .starts_with(rows + ", entry 0 = queries from -9"));
  CHECK(said_with("/launches/0/rows/count", "0 - rows")
            .starts_with(rows + ", entry 0 = queries from 0 on, -16 of them"));
  CHECK(said_with("/launches/0/grid", "work.length + 1") ==
        rows + " = nothing of workgroup 10: must have an entry for each of the grid's 11 workgroups");
  CHECK(said_with("/launches/0/grid", "work.length - 1") ==
        rows + ", entry 9 = workgroup 9: must be from 0 to 8, in the launch's grid");
  CHECK(said_with("/lists/work/where", "false") ==
        file + "launches[0].grid, column 1 = 0 (work.length): must be from 1 to 2147483647");
  CHECK(said_with("/launches/0/rows/cost", "-1") ==
        rows + ".cost, column 1 = -1: must be from 0 to 2^32 - 1");
  CHECK(said_with("/launches/0/rows/cost", "0.5") == rows + ".cost, column 1 = 0.5: must be an integer");
  Planning all;
  all.set("/launches/0/rows", "all");
  const auto plan = all.plan();
  std::vector<QueryRow> every;
  for (int q = 0; q < 60; ++q) every.push_back({q < 20 ? 0 : 1, q < 20 ? q : q - 20});
  CHECK(plan->workgroups_for(every)[0].workgroups.size() == 10);
  CHECK_THROWS_WITH(plan->workgroups_for({{0, 17}}),
                    Catch::Contains("launches[0].rows = all: must say which rows a workgroup computes"));
}

TEST_CASE("external plans: what judges are told") {
  CHECK(said_with("/judged/tile_rows", 0) ==
        file + "judged.tile_rows, column 1 = 0 (0): must be from 1 to 1048576");
  CHECK(said_with("/judged/p_shift", 17) ==
        file + "judged.p_shift, column 1 = 17 (17): must be from 0 to 16");
  CHECK(said_with("/judged/weighted", "kv") ==
        file + "judged.weighted, column 1 = 'fp8' (kv): must be true or false, or an integer");
  CHECK(said_with("/workspace/scratch/bytes", "-1") ==
        file + "workspace.scratch.bytes, column 1 = -1 (-1): must be from 0 to 1099511627776");
  const auto linear = [](const std::string& rest, int shift, const char* sum) {
    Planning of_case("batch_prefill/h=8:2/sq=20,40/sk=100,50/q=fp8/kv=fp8/quant=tensor/d=128/page=16" + rest);
    of_case.set("/judged/p", "fp8-linear").set("/judged/p_shift", shift).set("/judged/sum", sum);
    return of_case.said();
  };
  CHECK(linear("", 8, "rounded") == "planned");
  CHECK(linear("", 0, "rounded") ==
        file + "judged.p_shift = 0: must be above 0 with p = fp8-linear, whose P below 2^-6 is not right");
  CHECK_THAT(linear("", 8, "unrounded"),
             Catch::Contains("judged.p = \"fp8-linear\": must be with sum = rounded"));
  CHECK(linear("/lse=1", 8, "rounded") ==
        "lse = 1: must be 0 with judged.p = fp8-linear: the mean error of such a P does not cancel in it");
  CHECK(linear("/sinklogit=1", 8, "rounded") == "sinklogit = 1: must be 0 with judged.p = fp8-linear: the "
                                                "mean error of such a P does not cancel against a sink");
  Planning planning;
  planning.set("/judged/p", "kv")
      .set("/judged/p_shift", 8)
      .set("/judged/weighted", "true")
      .set("/judged/sum", "rounded");
  const ProbabilityRounding rounding = planning.plan()->probability_rounding();
  CHECK(rounding.type == ElementType::fp8);
  CHECK(rounding.shift == 8);
  CHECK(rounding.weighted);
  CHECK(rounding.sum_rounded);
}

TEST_CASE("external plans: what a launch computes of one head it computes of all") {
  const json rows = {{"list", "work"}, {"request", "r"}, {"first", "first"}, {"count", "rows"}};
  const auto with = [&](const json& more) {
    json all = rows;
    all.update(more);
    return said_with("/launches/0/rows", all);
  };
  CHECK(with({{"head", "h * group"}, {"heads", "group"}}) == "planned");
  CHECK(with({{"head", "h * group"}}) == file + "launches[0].rows.head = queries of head 1: none: must be "
                                                "those of head 0: 0 to 19 of request 0, 0 to 39 "
                                                "of request 1");
  CHECK(with({{"head", "7 * h"}, {"heads", "group"}}) ==
        file + "launches[0].rows, entry 2 = heads from 7 on, 4 of them: must be of the 8 query heads");
  CHECK(with({{"head", "h * group"}, {"heads", "group if r == 0 else 8 * (1 - h)"}}) == "planned");
  CHECK(with({{"head", "h * group"}, {"heads", "group if r == 0 else group - h"}}) ==
        file + "launches[0].rows.head = queries of head 7: 0 to 19 of request 0: must be those of head 0: 0 "
               "to 19 of "
               "request 0, 0 to 39 of request 1");
}

TEST_CASE("external plans: a list tells where weights of parts lie") {
  Planning planning;
  planning.set("/define/0/splits", 2);
  planning.set("/workspace/scratch/bytes", "4 * 2 * query_heads * total_queries");
  planning.set("/lists/parts",
               {{"for", {"r in requests", "row in r.query_length", "h in query_heads", "s in 2"}},
                {"entry",
                 {"i32:2 * ((r.query_begin + row) * query_heads + h) + s", "i32:r", "i32:row", "i32:h",
                  "i32:r", "i32:s * r.key_length // 2", "i32:(s + 1) * r.key_length // 2"}}});
  planning.set("/partials", {{"read_by", 1}, {"lse", "scratch"}, {"base", "e"}, {"table", "parts"}});
  const auto plan = planning.plan();
  const std::vector<PartialWeight> weights = plan->partial_weights({{1, 3}});
  REQUIRE(weights.size() == 16);
  CHECK(weights[0].natural);
  CHECK(weights[3].head == 1);
  CHECK(weights[3].lse - weights[0].lse == 3);
  CHECK(weights[3].first_key == 25);
  CHECK(weights[3].last_key == 50);
  CHECK(weights[3].row.request == 1);
}

TEST_CASE("external plans: a conversion reads nothing beyond its source") {
  const auto with = [&](const char* source, const json& shape, const json& strides) {
    const std::string said = said_with(
        "/prepare",
        {{{"name", "made"}, {"arrange", source}, {"from", "bf16"}, {"shape", shape}, {"strides", strides}}});
    // The conversion's own kernel is not there, once all else is right.
    return said.starts_with("code object = external_conversions") ? "planned" : said;
  };
  CHECK(with("scratch", {64, 32}, {32, 1}) == "planned"); // of 4096 bytes
  CHECK(with("scratch", {64, 32}, {1, 64}) == "planned");
  CHECK(with("scratch", {64, 32}, {33, 1}) == file + "prepare[0].arrange, column 1 = scratch: must have 4222 "
                                                     "bytes, as far as shape and strides reach; it has "
                                                     "4096");
  CHECK(with("scratch + 2", {64, 32}, {32, 1}) == file +
                                                      "prepare[0].arrange, column 1 = scratch + 2: must have "
                                                      "4096 bytes, as far as shape and strides reach; it "
                                                      "has 4094");
  CHECK(with("q", {1, 3}, {0, "2 * 274877906944"}) ==
        file + "prepare[0].arrange, column 1 = q: must have 2199023255554 bytes, as far as shape and strides "
               "reach; it has 61440");
  CHECK(with("q", {1, 4}, {0, "2 * 274877906944"}) ==
        file +
            "prepare[0].arrange, column 1 = q: must reach at most 2^40 elements, as shape and strides say");
  CHECK(with("q", {"total_queries + 1", "query_heads * head_dim // 2"}, {"query_heads * head_dim // 2", 1}) ==
        file + "prepare[0].arrange, column 1 = q: must have 62464 bytes, as far as shape and strides reach; "
               "it has 61440");
}

TEST_CASE("external plans: elements of half a byte are no count of bytes, and no conversion reads them") {
  const auto said = [](const char* pointer, const json& value) {
    Planning planning("batch_prefill/h=8:2/sq=20,40/sk=100,50/q=fp8/kv=mxfp4/d=128/page=32");
    planning.set(pointer, value);
    return planning.said();
  };
  CHECK(said("/launches/0/arguments/2", "f32:head_dim * kv_bytes") == "planned");
  CHECK_THAT(said("/launches/0/arguments/2", "i32:head_dim * kv_bytes"),
             Catch::EndsWith("(head_dim * kv_bytes): is a real number, must be an integer (int32)"));
  CHECK(said("/prepare",
             json::array({{{"name", "k"}, {"gather", "k_pool"}, {"rows", 0}, {"all_rows", 200}}})) ==
        "kv = mxfp4: must be one of fp8, bf16, fp16, fp32 and int32 to be converted");
}

TEST_CASE("external plans: what a manifest takes counts before it is allocated") {
  const auto said = [](const char* pointer, const json& value) {
    Planning planning;
    planning.set(pointer, value);
    harness::MemoryLimit{1}.require(harness::memory_of(planning.problem, {}));
    std::string text;
    try {
      text = planning.said();
    } catch (const harness::NotEnoughMemory& error) {
      text = planning.without_path(error.what());
    }
    harness::MemoryLimit{}.require({});
    return text;
  };
  const int64_t much = int64_t{200} << 30;
  CHECK(said("/workspace/scratch/bytes", much) ==
        "memory: FOLDER/m.json: workspace.scratch, 200.0 GiB: with it the plan takes 200.0 GiB and the case "
        "about "
        "0.0, more than the 1.0 GiB that it may take; --memory 201 allows it");
  CHECK(said("/workspace/scratch/bytes", 1 << 20) == "planned");
  // Two that would each fit.
  CHECK_THAT(
      said("/workspace", {{"a", {{"bytes", 700 << 20}}}, {"scratch", {{"bytes", 700 << 20}}}}),
      Catch::StartsWith("memory: FOLDER/m.json: workspace.scratch, 0.7 GiB: with it the plan takes 1.4 GiB"));
  CHECK_THAT(
      said("/prepare",
           json::array({{{"name", "k"}, {"gather", "k_pool"}, {"rows", 0}, {"all_rows", int64_t{1} << 32}}})),
      Catch::StartsWith("memory: FOLDER/m.json: conversion k, 1024.0 GiB"));
  CHECK_THAT(said("/prepare", json::array({{{"name", "p"}, {"page_table", int64_t{1} << 30}}})),
             Catch::StartsWith("memory: FOLDER/m.json: conversion p, 8.0 GiB"));
}
