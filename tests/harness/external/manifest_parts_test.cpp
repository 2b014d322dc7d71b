// Manifests with one mistake each: lists, rows, planners, arguments, conversions, mutants.
#include "tests/harness/external/broken_manifests.hpp"

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;

TEST_CASE("manifests: lists, rows and the planner's tables") {
  check_refused({
      {REPLACE("/lists/work/for/0", "\"requests\""), " lists.work.for[0] = \"requests\": must be NAME in "
                                                     "requests, NAME in EXPRESSION or NAME in EXPRESSION .. "
                                                     "EXPRESSION"},
      {REPLACE("/lists/work/for", "[]"), " lists.work.for = []: must have a loop"},
      {REPLACE("/lists/work/entry", "[]"), " lists.work.entry = []: must have a field"},
      {REPLACE("/launches/0/rows/list", "\"jobs\""),
       " launches[0].rows.list = \"jobs\": must be one of lists"},
      {REPLACE("/launches/0/rows", "{\"planned\": \"work\"}"),
       " launches[0].rows.planned = \"work\": must be one of the planner's tables"},
      {REPLACE("/launches/0/rows", "{\"planned\": \"slots\", \"cost\": 1}"),
       " launches[0].rows = cost: must be one of planned"},
      {REMOVE("/planner"),
       " planned = {\"scalars\":[\"splits\"],\"tables\":[\"slots\"]}: must be there only with a planner"},
      {REMOVE("/planned"), " planned = (missing): must be there"},
      {REPLACE("/planner", "[]"), " planner = []: must name a program"},
      {REPLACE("/planner", "\"python3 plan.py\""), " planner = \"python3 plan.py\": must be an array"},
      {REPLACE("/planner/0", "\"../python3\""),
       " planner[0] = \"../python3\": must be an option or a file of the folder"},
      {REPLACE("/planner/1", "\"/tmp/plan.py\""),
       " planner[1] = \"/tmp/plan.py\": must be an option or a file of the folder"},
      {REPLACE("/planner/1", "\"a/../../plan.py\""),
       " planner[1] = \"a/../../plan.py\": must be an option or a file of the folder"},
      {REPLACE("/planner/1", "\"\""), " planner[1] = \"\": must be a word"},
      {ADD("/partials", R"({"read_by": 3, "lse": "scratch", "table": "slots"})"),
       " partials.read_by = 3: must be a whole number from 1 to 2"},
      {ADD("/partials", R"({"read_by": 1, "lse": "scratch", "table": "work"})"),
       " partials.table = \"work\": must be a list whose entries are 7 times i32"},
      {ADD("/partials", R"({"read_by": 1, "lse": "scratch", "table": "none"})"),
       " partials.table = \"none\": must be one of the planner's tables"},
      {ADD("/partials", R"({"read_by": 1, "lse": "scratch", "base": 10, "table": "slots"})"),
       " partials.base = 10: must be \"2\" or \"e\""},
      {ADD("/launches/0/rows/heads", "2"),
       " launches[0].rows.heads = 2: must stand beside head, the first of them"},
      {ADD("/partials", R"({"read_by": 1, "lse": "scratchy", "table": "slots"})"),
       " partials.lse, column 1 = scratchy: must be one of ..."},
  });
}

TEST_CASE("manifests: arguments against the object's metadata") {
  check_refused({
      {REMOVE("/launches/0/arguments/3"), " launches[0].arguments = 3 arguments: must be 4, as many as "
                                          "kernel scale_add has: the next is argument 3 (a), 4 "
                                          "bytes at 20"},
      {ADD("/launches/0/arguments/-", "\"i32:0\""),
       " launches[0].arguments = 5 arguments: must be 4, as many as kernel scale_add has: the last is "
       "argument 3 (a), 4 "
       "bytes at 20"},
      {REPLACE("/launches/0/arguments/2", "\"i64:work.length\""),
       " launches[0].arguments[2] = int64: must be what kernel scale_add takes: argument 2 (n), 4 bytes at "
       "16"},
      {REPLACE("/launches/0/arguments/0", "\"i64:0\""),
       " launches[0].arguments[0] = int64: must be what kernel scale_add takes: argument 0 (x), 8 bytes at "
       "0, a pointer"},
      {REPLACE("/launches/1/arguments/1", "\"ptr:q\""),
       " launches[1].arguments[1] = ptr: must be what kernel by_struct takes: argument 1 (base), 8 bytes at "
       "32"},
      {REPLACE("/launches/0/arguments/3", "\"f32@24:scale\""),
       " launches[0].arguments[3] = offset 24: must be 20, where the kernel's metadata puts it"},
      {REPLACE("/launches/0/arguments/3", "\"pad4\""), " launches[0].arguments[3] = padding: must be left "
                                                       "out: the kernel's metadata says where arguments lie"},
      {REPLACE("/launches/1/arguments/0/bytes", "40"),
       " launches[1].arguments[0].bytes = 40: must be 32: its fields take as many"},
      {REPLACE("/launches/1/arguments/0/bytes", "0"),
       " launches[1].arguments[0].bytes = 0: must be a whole number from 1 to 4096"},
      {REMOVE("/launches/1/arguments/0/struct/3"), // and what it says of its bytes stays
       " launches[1].arguments[0].bytes = 32: must be 24: its fields take as many"},
      {REPLACE("/launches/1/arguments/0", R"({"struct": ["i32:1", "ptr:output", "f64:1"]})"),
       " launches[1].arguments[0] = a struct of 24 bytes: must be what kernel by_struct takes: argument 0, "
       "32 bytes at 0"},
      {REPLACE("/launches/1/arguments/0/struct/2", "\"f64@12:1\""),
       " launches[1].arguments[0].struct[2] = offset 12: must be 16, where C's layout puts it"},
      {REPLACE("/launches/1/arguments/0/struct", "[]"),
       " launches[1].arguments[0] = {\"bytes\":32,\"struct\":[]}: must have a field"},
      {REPLACE("/launches/1/arguments/0",
               R"({"struct": [{"struct": [{"struct": [{"struct": [{"struct": ["i32:1"]}]}]}]}]})"),
       " launches[1].arguments[0].struct[0].struct[0].struct[0].struct[0] = {\"struct\":[\"i32:1\"]}: must "
       "not nest "
       "structs deeper than 4"},
      {REPLACE("/launches/1/arguments/0", R"({"struct": ["pad4096", "i32:1"]})"),
       " launches[1].arguments[0] = {\"struct\":[\"pad4096\",\"i32:1\"]}: must have at most 4096 bytes"},
      {REPLACE("/launches/0/arguments/2", "\"int:3\""),
       " launches[0].arguments[2] = \"int:3\": must be TYPE:EXPRESSION or TYPE@OFFSET:EXPRESSION with a type "
       "of ..."},
      {REPLACE("/launches/0/arguments/2", "\"work.length\""),
       " launches[0].arguments[2] = \"work.length\": must be TYPE:EXPRESSION or TYPE@OFFSET:EXPRESSION with "
       "a ..."},
      {REPLACE("/launches/0/arguments/2", "\"i32@:3\""),
       " launches[0].arguments[2] = \"i32@:3\": must be TYPE:EXPRESSION or TYPE@OFFSET:EXPRESSION with a "
       "type ..."},
      {REPLACE("/launches/0/arguments/2", "\"pad0\""),
       " launches[0].arguments[2] = \"pad0\": must be TYPE:EXPRESSION or TYPE@OFFSET:EXPRESSION with a type "
       "of ..."},
      {REPLACE("/launches/0/arguments/2", "3"), " launches[0].arguments[2] = 3: must be a string"},
      {REPLACE("/launches/0/symbol", "\"scale\""),
       " launches[0].symbol = \"scale\": must be a kernel of kernels.co: ..."},
  });
}

TEST_CASE("manifests: conversions and mutants") {
  // With one of each kind; a patch of the sound manifest, then the one that breaks it.
  ManifestFolder folder;
  folder.patch(R"json([
    {"op": "add", "path": "/prepare", "value": [
      {"name": "a1", "arrange": "q", "from": "query", "type": "bf16", "shape": [4, 2], "strides": [2, 1], "scale": 1},
      {"name": "a2", "gather": "k_pool", "type": "bf16", "rows": "r.query_begin", "all_rows": 64},
      {"name": "a3", "page_table": "r.pages", "fill": -1}]},
    {"op": "add", "path": "/finish", "value": [
      {"into": "output", "arrange": "scratch", "from": "fp32", "strides": [1, 1, 1], "scale": "0.5"}]},
    {"op": "add", "path": "/mutants", "value": [
      {"object": "kernels.co", "symbol": "racing", "cases": ["batch_prefill/h=2:1/sq=8/sk=32"]}]}])json");
  CHECK(said_of(folder) == "accepted");
  check_refused(
      {
          {ADD("/prepare/0/rows", "1"),
           " prepare[0] = rows: must be one of name, arrange, from, type, shape, strides, scale"},
          {ADD("/prepare/1/shape", "[1]"),
           " prepare[1] = shape: must be one of name, gather, type, rows, all_rows, ..."},
          {ADD("/prepare/2/rows", "1"), " prepare[2] = rows: must be one of name, page_table, fill"},
          {ADD("/finish/0/name", "\"x\""),
           " finish[0] = name: must be one of into, arrange, from, strides, scale"},
          {REMOVE("/prepare/0/arrange"), " prepare[0] = {\"from\"..."},
          {REMOVE("/prepare/0/name"), " prepare[0].name = (missing): must be there"},
          {REPLACE("/prepare/0/name", "\"a2\""),
           " prepare[1].name = a2: must be a new name: this one has a meaning already"},
          {REPLACE("/prepare/0/name", "\"scratch\""),
           " prepare[0].name = scratch: must be a new name: this one has ..."},
          {REPLACE("/prepare/0/from", "\"fp4\""),
           " prepare[0].from = \"fp4\": must be one of fp8, bf16, fp16, fp32, int32, query, kv, out"},
          {REPLACE("/prepare/0/type", "\"int32\""), " prepare[0] = {\"arrange\"..."},
          {REPLACE("/prepare/0/shape", "[]"), " prepare[0].shape = []: must have one to four axes"},
          {REPLACE("/prepare/0/shape", "[1, 1, 1, 1, 1]"),
           " prepare[0].shape = [1,1,1,1,1]: must have one to four axes"},
          {REPLACE("/prepare/0/strides", "[1]"), " prepare[0].strides = [1]: must be as many as in shape"},
          {REPLACE("/prepare/0/scale", "\"two\""), " prepare[0].scale, column 1 = two: must be one of ..."},
          {REPLACE("/prepare/0/arrange", "\"a2\""), " prepare[0].arrange, column 1 = a2: must be one of ..."},
          {REPLACE("/prepare/1/gather", "\"q\""), " prepare[1].gather = \"q\": must be k_pool or v_pool"},
          {REPLACE("/prepare/1/rows", "\"r.first\""),
           " prepare[1].rows, column 1 = r.first: must be one of ..."},
          {REPLACE("/prepare/1/all_rows", "\"r\""), " prepare[1].all_rows, column 1 = r: must be one of ..."},
          {REPLACE("/prepare/2/fill", "\"r\""), " prepare[2].fill, column 1 = r: must be one of ..."},
          {REPLACE("/finish/0/into", "\"q\""), " finish[0].into = \"q\": must be output or lse"},
          {REPLACE("/finish/0/strides", "[1]"),
           " finish[0].strides = [1]: must be 3: of query, query head, column"},
          {REPLACE("/mutants/0/symbol", "\"scale\""), " mutants[0] = {\"cases\"..."},
          {REPLACE("/mutants/0/cases", "[]"), " mutants[0].cases = []: must have a case"},
          {REPLACE("/mutants/0/cases/0", "\"batch_prefill/h=0:1\""), " mutants[0].cases[0]: ..."},
          {REPLACE("/mutants/0/cases/0", "\"some case\""), " mutants[0].cases[0]: ..."},
      },
      folder.manifest);
}

TEST_CASE("manifests: a scalar is of the kind that the metadata's type says") {
  harness::ForeignKernel kernel;
  kernel.name = "k";
  kernel.kernarg_bytes = 8;
  kernel.parameters = {{"n", "int", "by_value", "", 0, 4}, {"a", "float", "by_value", "", 4, 4}};
  const auto said = [&](const char* first, const char* second) {
    const nlohmann::json json = {first, second};
    std::vector<ArgumentForm> arguments;
    for (const workload::JsonField& each : workload::JsonField(json, "arguments").items())
      arguments.push_back(read_argument(each));
    try {
      lay_out_arguments("arguments", arguments, kernel);
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
  };
  CHECK(said("i32:1", "f32:1") == "accepted");
  CHECK(said("u32:1", "f32:1") == "accepted"); // C converts between them, and bits are the same
  CHECK(said("f32:1", "f32:1") ==
        "arguments[0] = float32: must be what kernel k takes: argument 0 (n), 4 bytes at 0 of type int");
  CHECK(said("i32:1", "i32:1") ==
        "arguments[1] = int32: must be what kernel k takes: argument 1 (a), 4 bytes at 4 of type float");
}
