// Manifests with one mistake each: keys, types and names.
#include "tests/harness/external/broken_manifests.hpp"

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;

TEST_CASE("manifests: the sound one is read whole") {
  const ManifestFolder folder;
  const Manifest manifest = folder.read();
  CHECK(manifest.name == "external:sound");
  CHECK(manifest.needs.size() == 3); // terms
  CHECK(manifest.needs[1].text() == "kv == 'fp8'");
  REQUIRE(manifest.launches.size() == 3);
  CHECK(manifest.launches[0].kernels[0].arguments.bytes >= 24);
  CHECK(manifest.launches[1].rows.of == RowsForm::Of::grid);
  CHECK(manifest.launches[2].rows.of == RowsForm::Of::all);
  CHECK(manifest.lists[0].stride == 24); // two i32, an i64, an address
  CHECK(manifest.names("k_pool"));
  CHECK_FALSE(manifest.names("v_pool"));
}

TEST_CASE("manifests: keys and types") {
  check_refused({
      {ADD("/speed", "1"),
       " = speed: must be one of schema, name, description, operator, needs, define, ..."},
      {ADD("/launches/0/gird", "1"),
       " launches[0] = gird: must be one of when, kernels, object, symbol, grid, ..."},
      {ADD("/launches/0/cost", "1"),
       " launches[0] = cost: must be one of when, kernels, object, symbol, grid, ..."},
      {ADD("/launches/0/rows/last", "1"),
       " launches[0].rows = last: must be one of list, planned, request, first, count, head, heads, cost"},
      {ADD("/launches/1/kernels/0/grid", "1"),
       " launches[1].kernels[0] = grid: must be one of when, object, symbol"},
      {ADD("/launches/1/arguments/0/offset", "0"),
       " launches[1].arguments[0] = offset: must be one of struct, bytes"},
      {ADD("/lists/work/sort", "\"r\""),
       " lists.work = sort: must be one of for, define, where, order, entry"},
      {ADD("/workspace/scratch/size", "1"), " workspace.scratch = size: must be one of bytes, zero"},
      {ADD("/planned/lists", "[]"), " planned = lists: must be one of tables, scalars"},
      {ADD("/judged/tile", "1"),
       " judged = tile: must be one of p, p_shift, sum, weighted, tile_rows, tile_keys"},
      {REPLACE("/schema", "2"), " schema = 2: must be 1, the version of manifests that this program reads"},
      {REPLACE("/schema", "\"1\""),
       " schema = \"1\": must be 1, the version of manifests that this program reads"},
      {REPLACE("/schema", "true"),
       " schema = true: must be 1, the version of manifests that this program reads"},
      {REMOVE("/schema"), " schema = (missing): must be there"},
      {REMOVE("/name"), " name = (missing): must be there"},
      {REMOVE("/operator"), " operator = (missing): must be there"},
      {REMOVE("/needs"), " needs = (missing): must be there"},
      {REMOVE("/launches"), " launches = (missing): must be there"},
      {REMOVE("/judged"), " judged = (missing): must be there"},
      {REMOVE("/judged/tile_keys"), " judged.tile_keys = (missing): must be there"},
      {REMOVE("/launches/0/rows"), " launches[0].rows = (missing): must be there"},
      {REMOVE("/launches/0/symbol"), " launches[0].symbol = (missing): must be there"},
      {REMOVE("/launches/0/arguments"), " launches[0].arguments = (missing): must be there"},
      {REMOVE("/lists/work/entry"), " lists.work.entry = (missing): must be there"},
      {REMOVE("/workspace/scratch/bytes"), " workspace.scratch.bytes = (missing): must be there"},
      {REPLACE("", "[]"), " = []: must be an object"},
      {REPLACE("/name", "3"), " name = 3: must be a string"},
      {REPLACE("/needs", "null"), " needs = null: must be an expression: a text, a number, true or false"},
      {REPLACE("/define", "{\"a\": 1}"), " define = {\"a\":1}: must be an array"},
      {REPLACE("/define/0", "{\"a\": 1, \"b\": 2}"),
       " define[0] = {\"a\":1,\"b\":2}: must have one key, the name that is defined"},
      {REPLACE("/launches", "{}"), " launches = {}: must be an array"},
      {REPLACE("/launches", "[]"), " launches = []: must have a launch"},
      {REPLACE("/launches/0/grid", "{}"),
       " launches[0].grid = {}: must be an expression: a text, a number, ..."},
      {REPLACE("/launches/0/grid", "[1,1,1,1]"),
       " launches[0].grid = [1,1,1,1]: must have one to three sizes"},
      {REPLACE("/launches/0/rows", "\"some\""), " launches[0].rows = \"some\": must be \"all\" or an object"},
      {REPLACE("/launches/1/kernels", "[]"), " launches[1].kernels = []: must have a kernel"},
      {ADD("/launches/0/kernels", "[]"), " launches[0] = {\"arguments\":..."},
      {REPLACE("/workspace/scratch/zero", "1"), " workspace.scratch.zero = 1: must be true or false"},
      {REPLACE("/deterministic", "\"yes\""), " deterministic = \"yes\": must be true or false"},
      {REPLACE("/judged/p", "\"fp4\""),
       " judged.p = \"fp4\": must be one of bf16, fp16, fp8, mxfp8, fp8-unlifted, fp8-linear, kv"},
      {REPLACE("/judged/p", "\"mxfp8\""),
       " judged.p_shift = 0: must be left out with p = mxfp8, whose blocks have scales of their own"},
      {REPLACE("/judged/sum", "\"exact\""), " judged.sum = \"exact\": must be rounded or unrounded"},
      {REPLACE("/operator", "\"append_prefill\""), " operator = \"append_prefill\": must be batch_prefill, "
                                                   "the operator that this edition has manifests for"},
      {REPLACE("/name", "\"my kernel\""),
       " name = \"my kernel\": must be a name of letters, digits and _, at most 64"},
      {REPLACE("/name", "\"\""), " name = \"\": must be a name of letters, digits and _, at most 64"},
      {REPLACE("/description", R"("two\nlines")"),
       R"( description = "two\nlines": must be one line without control characters)"},
      {REPLACE("/description", R"("\u001b[2J")"),
       R"( description = "\u001b[2J": must be one line without control characters)"},
  });
}

TEST_CASE("manifests: an unknown name in each kind of expression") {
  check_refused({
      {REPLACE("/needs/0", "\"head_dim == 128 and kv_type == 'fp8'\""),
       " needs[0], column 21 = kv_type: must be one of batch, causal, ..."},
      {REPLACE("/needs/0", "\"k_pool != null\""), " needs[0], column 1 = k_pool: must be one of batch, ..."},
      {REPLACE("/needs/0", "\"tile == 64\""), " needs[0], column 1 = tile: must be one of batch, ..."},
      {REPLACE("/needs/0", "\"min(r.table_begin for r in requests) == 0\""),
       " needs[0], column 7 = table_begin: must be what requests have: query_length, key_length, "
       "query_begin, "
       "pages, pages_begin, keys_begin"},
      {REPLACE("/define/0/tile", "\"2 * rows\""), " define[0].tile, column 5 = rows: must be one of ..."},
      {REPLACE("/lists/work/for/0", "\"h in heads\""),
       " lists.work.for[0], column 6 = heads: must be one of ..."},
      {REPLACE("/lists/work/for/2", "\"t in  0 .. r.length\""),
       " lists.work.for[2], column 12 = r.length: must be one of ..."},
      {REPLACE("/lists/work/for/2", "\"t in s .. 8\""),
       " lists.work.for[2], column 6 = s: must be one of ..."},
      {REPLACE("/lists/work/define/0/first", "\"t * rowz\""),
       " lists.work.define[0].first, column 5 = rowz: must be one of ..."},
      {REPLACE("/lists/work/where", "\"x > 0\""), " lists.work.where, column 1 = x: must be one of ..."},
      {REPLACE("/lists/work/order", "\"-x\""), " lists.work.order, column 2 = x: must be one of ..."},
      {REPLACE("/lists/work/entry/1", "\"i32:hh\""),
       " lists.work.entry[1], column 5 = hh: must be one of ..."},
      {REPLACE("/lists/work/entry/1", "\"ptr:scratch\""),
       " lists.work.entry[1], column 5 = scratch: must be one of ..."},
      {REPLACE("/workspace/scratch/bytes", "\"4 * n\""),
       " workspace.scratch.bytes, column 5 = n: must be one of ..."},
      {REPLACE("/launches/0/grid", "\"job.length\""),
       " launches[0].grid, column 1 = job.length: must be one of ..."},
      {REPLACE("/launches/0/block", "[64, \"warps\"]"),
       " launches[0].block[1], column 1 = warps: must be one of ..."},
      {REPLACE("/launches/0/lds", "\"lds\""), " launches[0].lds, column 1 = lds: must be one of ..."},
      {ADD("/launches/0/when", "\"r.key_length\""),
       " launches[0].when, column 1 = r.key_length: must be one of ..."},
      {REPLACE("/launches/1/kernels/0/when", "\"kv == fp8\""),
       " launches[1].kernels[0].when, column 7 = fp8: must be one of ..."},
      {REPLACE("/launches/0/arguments/3", "\"f32@20:scales\""),
       " launches[0].arguments[3], column 8 = scales: must be one of ..."},
      {REPLACE("/launches/1/arguments/0/struct/0", "\"i32:n\""),
       " launches[1].arguments[0].struct[0], column 5 = n: must be one of ..."},
      {REPLACE("/launches/0/rows/count", "\"x\""),
       " launches[0].rows.count, column 1 = x: must be one of ..."},
      {REPLACE("/launches/1/rows/request", "\"r\""),
       " launches[1].rows.request, column 1 = r: must be one of ..."},
      {REPLACE("/launches/0/rows/cost", "\"tiles\""),
       " launches[0].rows.cost, column 1 = tiles: must be one of ..."},
      {REPLACE("/judged/p_shift", "\"shift\""), " judged.p_shift, column 1 = shift: must be one of ..."},
      {REPLACE("/judged/tile_rows", "\"r\""), " judged.tile_rows, column 1 = r: must be one of ..."},
      {REPLACE("/define/0/tile", "\"sum(r.queries for r in requests)\""),
       " define[0].tile, column 7 = queries: must be what requests have: query_length, key_length, "
       "query_begin, "
       "pages, pages_begin, keys_begin, table_begin"},
      {REPLACE("/launches/0/grid", "\"work.length +\""),
       " launches[0].grid, column 14 = the end: must be a number, a text, a name or `(`"},
  });
}

TEST_CASE("manifests: names that are defined") {
  check_refused({
      {ADD("/define/-", "{\"tile\": 1}"),
       " define[2] = tile: must be a new name: this one has a meaning already"},
      {ADD("/define/-", "{\"batch\": 1}"),
       " define[2] = batch: must be a new name: this one has a meaning already"},
      {ADD("/define/-", "{\"k_pool\": 1}"),
       " define[2] = k_pool: must be a new name: this one has a meaning already"},
      {ADD("/define/-", "{\"requests\": 1}"),
       " define[2] = requests: must be a new name: this one has a meaning ..."},
      {ADD("/define/-", "{\"splits\": 1}"),
       " define[2] = splits: must be a new name: this one has a meaning already"},
      {ADD("/define/-", "{\"min\": 1}"),
       " define[2] = min: must be another name: expressions have this word"},
      {ADD("/define/-", "{\"true\": 1}"),
       " define[2] = true: must be another name: expressions have this word"},
      {ADD("/define/-", "{\"in\": 1}"), " define[2] = in: must be another name: expressions have this word"},
      {ADD("/define/-", "{\"2nd\": 1}"),
       " define[2] = 2nd: must be a name of letters, digits and _, at most 64"},
      {ADD("/define/-", "{\"r.x\": 1}"),
       " define[2] = r.x: must be a name of letters, digits and _, at most 64"},
      {REPLACE("/lists/work/for/1", "\"r in kv_heads\""),
       " lists.work.for[1] = r: must be a new name: this one has a meaning already"},
      {REPLACE("/lists/work/for/1", "\"scale in kv_heads\""),
       " lists.work.for[1] = scale: must be a new name: this one has a meaning already"},
      {REPLACE("/lists/work/define/0", "{\"t\": 1}"),
       " lists.work.define[0] = t: must be a new name: this one has a meaning already"},
      {ADD("/lists/tile", R"({"for": ["i in 3"], "entry": ["i32:i"]})"),
       " lists.tile = tile: must be a new name: this one has a meaning already"},
      {ADD("/workspace/work", "{\"bytes\": 1}"),
       " workspace.work = work: must be a new name: this one has a meaning already"},
      {ADD("/workspace/log2", "{\"bytes\": 1}"),
       " workspace.log2 = log2: must be another name: expressions have this word"},
      {ADD("/define/-", "{\"x\": 1}"),
       " launches[1].rows = x: must be a new name: this one has a meaning already"},
      {ADD("/planned/tables/-", "\"splits\""),
       " planned.scalars[0] = splits: must be a new name: this one has ..."},
      {REPLACE("/planned/tables/0", "\"head_dim\""),
       " planned.tables[0] = head_dim: must be a new name: this one has a meaning already"},
  });
}
