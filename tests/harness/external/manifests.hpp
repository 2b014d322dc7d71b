#pragma once
// A sound manifest of kernels that the build makes (tests/harness/foreign/kernels.hip), to be made wrong in one place.

#include "harness/external/manifest.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace fmha950::test {

inline const char* const sound_manifest = R"json({
  "schema": 1,
  "name": "sound",
  "description": "kernels of tests",
  "operator": "batch_prefill",
  "needs": ["head_dim == 128 and kv == 'fp8'", "page_size in (1, 16)"],
  "define": [{"tile": 64}, {"rows": "tile // group"}],
  "planner": ["python3", "plan.py"],
  "planned": {"tables": ["slots"], "scalars": ["splits"]},
  "lists": {
    "work": {
      "for": ["r in requests", "h in kv_heads", "t in 0 .. ceil_div(r.query_length, rows)"],
      "define": [{"first": "t * rows"}],
      "where": "r.key_length > 0",
      "order": "0 - r.key_length",
      "entry": ["i32:r", "i32:h", "i64:first", "ptr:k_pool"]
    }
  },
  "workspace": {"scratch": {"bytes": 4096, "zero": true}},
  "launches": [
    {
      "object": "kernels.co",
      "symbol": "scale_add",
      "grid": "work.length",
      "block": 64,
      "lds": 1024,
      "arguments": ["ptr:work", "ptr:scratch", "i32:work.length", "f32@20:scale"],
      "rows": {"list": "work", "request": "r", "first": "first", "count": "rows", "cost": "r.key_length"}
    },
    {
      "when": "splits > 1",
      "kernels": [{"when": "kv == 'fp8'", "object": "kernels.co", "symbol": "by_struct"}],
      "grid": ["splits", 2],
      "block": [32, 2, 1],
      "arguments": [{"struct": ["i32:batch", "ptr:output", "f64:0.5", "i16:2"], "bytes": 32}, "i64:total_queries"],
      "rows": {"request": "0", "first": "x * 8", "count": "8 if y == 0 else 0"}
    },
    {
      "when": "slots.length > 0",
      "object": "kernels.co",
      "symbol": "racing",
      "grid": 1,
      "block": 128,
      "arguments": ["ptr:slots"],
      "rows": "all"
    }
  ],
  "judged": {"p": "bf16", "sum": "unrounded", "tile_rows": 64, "tile_keys": 64, "p_shift": 0, "weighted": "false"},
  "deterministic": true
})json";

// A planner that does what it should: no tables of use, two splits.
inline const char* const sound_planner = R"python(import json, struct, sys
folder = sys.argv[1]
case = json.load(open(folder + "/case.json"))
assert case["names"]["head_dim"] == 128 and case["requests"][0]["query_length"] > 0
def write(name, shape, values, descriptor="<i4", letter="i"):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descriptor, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(folder + "/" + name + ".npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (len(values), letter), *values))
write("slots", (1, 4), [0, 0, 0, 8])
json.dump({"splits": 2}, open(folder + "/plan.json", "w"))
)python";

struct ManifestFolder {
  TemporaryFolder folder;
  nlohmann::json manifest = nlohmann::json::parse(sound_manifest);

  ManifestFolder() {
    std::filesystem::copy_file(CODE_OBJECTS "/foreign_kernels.co", path() / "kernels.co");
    write("plan.py", sound_planner);
  }
  std::filesystem::path path() const { return folder.path(); }
  std::filesystem::path file() const { return path() / "m.json"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
  }
  // RFC 6902: [{"op": "replace", "path": "/launches/0/grid", "value": 0}].
  ManifestFolder& patch(const std::string& patch) {
    manifest = manifest.patch(nlohmann::json::parse(patch));
    return *this;
  }
  ManifestFolder& set(const std::string& pointer, const nlohmann::json& value) {
    manifest[nlohmann::json::json_pointer(pointer)] = value;
    return *this;
  }
  harness::external::Manifest read() const {
    write("m.json", manifest.dump(1));
    return harness::external::read_manifest(file());
  }
  // What an error says, with FOLDER for the folder's path.
  std::string without_path(std::string text) const {
    for (size_t at = 0; (at = text.find(path().string(), at)) != text.npos;)
      text.replace(at, path().string().size(), "FOLDER");
    return text;
  }
};

} // namespace fmha950::test
