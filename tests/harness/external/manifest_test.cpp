// Manifests with one mistake each: what the reader says of it. A text that ends in "..." is the beginning of the error.
#include "harness/external/external_implementation.hpp"
#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"
#include "tests/harness/program.hpp"

#include <algorithm>

#include <sys/stat.h>

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;

namespace {

std::string said_of(const ManifestFolder& folder) {
  try {
    (void)folder.read();
    return "accepted";
  } catch (const InvalidInput& error) {
    return folder.without_path(error.what());
  }
}

struct Broken {
  const char* patch; // RFC 6902, of the sound manifest
  const char* error; // behind "FOLDER/m.json: "
};

void check_refused(std::initializer_list<Broken> all) {
  ManifestFolder folder;
  const nlohmann::json sound = folder.manifest;
  for (const Broken& each : all) {
    INFO(each.patch);
    folder.manifest = sound;
    folder.patch(each.patch);
    const std::string said = said_of(folder);
    const std::string expected = std::string("FOLDER/m.json:") + each.error;
    if (expected.ends_with("..."))
      CHECK_THAT(said, Catch::StartsWith(expected.substr(0, expected.size() - 3)));
    else
      CHECK(said == expected);
  }
}

// Replaces a value, adds a member.
#define REPLACE(path, value) R"([{"op":"replace","path":")" path R"(","value":)" value "}]"
#define ADD(path, value) R"([{"op":"add","path":")" path R"(","value":)" value "}]"
#define REMOVE(path) R"([{"op":"remove","path":")" path R"("}])"

} // namespace

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
       " launches[0].rows = last: must be one of list, planned, request, first, count, cost"},
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
       " judged.p = \"fp4\": must be one of bf16, fp16, fp8, fp8-linear, kv"},
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
       "pages, pages_begin"},
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
       "pages, pages_begin, table_begin"},
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
       " partials.table = \"work\": must be one of the planner's tables"},
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

TEST_CASE("manifests: files that they name") {
  ManifestFolder folder;
  namespace fs = std::filesystem;
  const TemporaryFolder outside;
  fs::copy_file(CODE_OBJECTS "/foreign_kernels.co", outside.path() / "kernels.co");
  const auto with_object = [&](const std::string& name) {
    folder.set("/launches/0/object", name);
    return said_of(folder);
  };
  const std::string key = "FOLDER/m.json: launches[0].object = ";
  CHECK(
      with_object((outside.path() / "kernels.co").string()).ends_with(": must be a file inside the folder"));
  CHECK(with_object("../kernels.co") == key + "\"../kernels.co\": must be a file inside the folder");
  CHECK(with_object("a/../kernels.co") == key + "\"a/../kernels.co\": must be a file inside the folder");
  CHECK(with_object("") == key + "\"\": must be a file inside the folder");
  CHECK(with_object("none.co") == key + "\"none.co\": must be a file in FOLDER");
  fs::create_symlink(outside.path() / "kernels.co", folder.path() / "link.co");
  CHECK(with_object("link.co") == key + "\"link.co\": must lie in the folder: it is a link out of it");
  fs::create_directory_symlink(outside.path(), folder.path() / "there");
  CHECK(with_object("there/kernels.co") ==
        key + "\"there/kernels.co\": must lie in the folder: it is a link out of it");
  fs::create_symlink("loop.co", folder.path() / "loop.co");
  CHECK(with_object("loop.co") == key + "\"loop.co\": must be a file in FOLDER");
  fs::create_symlink("kernels.co", folder.path() / "inside.co");
  CHECK(with_object("inside.co") == "accepted");
  REQUIRE(mkfifo((folder.path() / "pipe.co").c_str(), 0600) == 0);
  CHECK(with_object("pipe.co") == key + "FOLDER/pipe.co: must be a regular file, and is a named pipe");
  fs::create_directory(folder.path() / "folder.co");
  CHECK(with_object("folder.co") == key + "FOLDER/folder.co: must be a regular file, and is a directory");
  folder.write("large.co", "");
  fs::resize_file(folder.path() / "large.co", most_object_bytes + 1);
  CHECK(with_object("large.co") == key + "\"large.co\": must have at most 256 MiB");
  folder.write("text.co", "no object");
  CHECK(with_object("text.co") ==
        "file = FOLDER/text.co: must be a code object: a 64-bit ELF file, or an offload bundle");
  fs::copy_file(CODE_OBJECTS "/loader_gfx942.co", folder.path() / "other.co");
  CHECK(with_object("other.co") ==
        "file = FOLDER/other.co: must be for gfx950, not for amdgcn-amd-amdhsa--gfx942");
  fs::copy_file("/proc/self/exe", folder.path() / "host.co");
  CHECK_THAT(with_object("host.co"),
             Catch::Contains("must be for AMDGPU (ELF machine 224), not for ELF machine"));
}

TEST_CASE("manifests: files that are none") {
  ManifestFolder folder;
  const auto said = [&](const std::string& text) {
    folder.write("m.json", text);
    try {
      (void)read_manifest(folder.file());
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return folder.without_path(error.what());
    }
  };
  CHECK_THAT(said(""), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK_THAT(said("{\"schema\": 1,}"), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK_THAT(said("{\"name\": \"\xff\"}"), Catch::StartsWith("--external = FOLDER/m.json: is not JSON: "));
  CHECK(said(R"({"schema": 1, "schema": 1})") == "m.json: schema = given twice: must be there once");
  CHECK(said(R"({"judged": {"p": "kv", "p": "bf16"}})") ==
        "m.json: judged.p = given twice: must be there once");
  CHECK(said(std::string(40, '[')) == "--external = FOLDER/m.json: is nested deeper than 32 levels");
  CHECK(said(std::string(most_manifest_bytes + 1, ' ')) ==
        "--external = FOLDER/m.json: has 4194305 bytes, must have at most 4194304");
  const auto path_said = [&](const std::filesystem::path& path) {
    try {
      (void)read_manifest(path);
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return folder.without_path(error.what());
    }
  };
  REQUIRE(mkfifo((folder.path() / "pipe.json").c_str(), 0600) == 0);
  CHECK(path_said(folder.path() / "pipe.json") ==
        "--external = FOLDER/pipe.json: must be a regular file, and is a named pipe");
  CHECK(path_said(folder.path() / "none.json") == "--external = FOLDER/none.json: cannot be read");
}

TEST_CASE("manifests: a planner's words are of the folder, and no pipe is opened") {
  ManifestFolder folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  folder.set("/planner/1", "pipe");
  CHECK(said_of(folder) ==
        "FOLDER/m.json: planner[1] = FOLDER/pipe: must be a regular file, and is a named pipe");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "away.py");
  folder.set("/planner/1", "away.py");
  CHECK(said_of(folder) ==
        "FOLDER/m.json: planner[1] = \"away.py\": must lie in the folder: it is a link out of it");
}

TEST_CASE("manifests: the digest is of all that counts") {
  ManifestFolder folder;
  const std::string first = folder.read().digest;
  CHECK(folder.read().digest == first);
  std::ofstream(folder.path() / "plan.py", std::ios::app) << "\n";
  const std::string planner = folder.read().digest;
  CHECK(planner != first);
  std::ofstream(folder.path() / "kernels.co", std::ios::app) << '\0';
  const std::string object = folder.read().digest;
  CHECK(object != planner);
  folder.set("/launches/0/block", 32);
  CHECK(folder.read().digest != object);
}

TEST_CASE("manifests: folders") {
  const auto said = [](const std::vector<std::string>& folders) {
    try {
      register_external(folders);
      return std::string("accepted");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
  };
  const TemporaryFolder empty;
  CHECK_THAT(said({empty.path()}),
             Catch::EndsWith(": must hold manifests (*.json, docs/your_kernel.md) or rows.csv "
                             "(device --calibration)"));
  CHECK_THAT(said({(empty.path() / "none").string()}), Catch::Contains("must be a folder: "));
  std::ofstream(empty.path() / "rows.csv") << "object\n";
  CHECK(said({empty.path()}) == "accepted");

  ManifestFolder one, other;
  (void)one.read(); // writes the file
  (void)other.read();
  // A call that fails leaves nothing behind, so that the same one fails again for the same reason.
  for (int i = 0; i < 2; ++i)
    CHECK(said({one.path(), other.path()}) ==
          other.file().string() + ": name = external:sound: must be another one: " + one.file().string() +
              " has it");
  other.set("/needs", nlohmann::json{"kv"}).read();
  CHECK(said({other.path()}) ==
        other.file().string() + ": needs[0], column 1 = 'fp8' (kv): must be true or false, or an integer");
  // A folder counts once. In a process of its own: what is registered stays.
  const std::string twice =
      " --external " + one.path().string() + " --external " + one.path().string() + "/.";
  const Ran listed = run_fmha950("list" + twice, "FMHA950_EXTERNAL=" + one.path().string());
  CHECK(joined(listed.err).empty());
  CHECK(std::ranges::count_if(listed.out, [](const std::string& line) {
          return line.find("external:sound") != line.npos;
        }) == 1);
}
