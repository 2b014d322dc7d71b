// The other examples of examples/external: pipelined by a planner has the built-in one's bits; a kernel that wants its tensors
// in another form passes on ragged requests, on both layouts, tables and types, and on views.
#include "tests/harness/program.hpp"
#include "tests/harness/python.hpp"

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

const std::string external = std::string(" --external ") + EXTERNAL_EXAMPLES;

std::vector<json> accuracy_of(const std::string& implementation, const std::string& cases) {
  const Ran ran = run_fmha950("accuracy --impl " + implementation + external + " --json " + cases);
  INFO(joined(ran.err));
  std::vector<json> records;
  for (const std::string& line : ran.out) records.push_back(json::parse(line));
  return records;
}

} // namespace

namespace {

// Whether keys were split.
bool has_bits_of_pipelined(const std::string& name, const std::string& text) {
  INFO(name << ": " << text);
  const TemporaryFolder folder;
  const std::filesystem::path saved = folder.path() / "case";
  const Ran ran = run_fmha950("run '" + text + "' --impl pipelined,external:" + name + external + " --save " +
                              saved.string());
  INFO(joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  for (const std::string tensor : {"output", "lse"}) {
    const std::string built_in = contents(saved / (tensor + "_pipelined.npy"));
    CHECK(!built_in.empty());
    CHECK(built_in == contents(saved / (tensor + "_external:" + name + ".npy")));
  }
  return joined(ran.out).find("combine_parts") != std::string::npos;
}

} // namespace

TEST_CASE("examples of manifests: keys split by a planner give the built-in one's bits") {
  for (const std::string text :
       {"batch_prefill/h=6:1/sq=128/sk=1024/q=fp8/kv=fp8/quant=tensor/lse=1/page=64/causal=1",
        "batch_prefill/h=8:2/sq=70,33/sk=900,300/q=fp8/kv=fp8/quant=page/page=64/cap=20/lse=1/table=vllm"})
    CHECK(has_bits_of_pipelined("pipelined_split", text));
}

TEST_CASE("examples of manifests: keys that are not split give the built-in one's bits by lists alone") {
  for (const std::string text :
       {"batch_prefill/h=8:1/sq=2100,130/sk=300,200/q=fp8/kv=fp8/quant=tensor/lse=1/page=64/causal=1",
        "batch_prefill/h=8:2/sq=900,333/sk=90,130/q=fp8/kv=fp8/quant=page/page=64/cap=20/lse=1/table=vllm"})
    CHECK_FALSE(has_bits_of_pipelined("pipelined_unsplit", text));
}

TEST_CASE("examples of manifests: conversions bring every form to the kernel, and back") {
  const std::string sizes = "h=4:2/sq=12,3/sk=100,200/lse=1/page=16";
  const std::vector<json> records =
      accuracy_of("external:one_wave", "batch_prefill/" + sizes + " batch_prefill/" + sizes +
                                           "/causal=1/layout=vectorized/table=vllm batch_prefill/" + sizes +
                                           "/strided=1/q=fp8/kv=fp8/quant=tensor batch_prefill/" + sizes +
                                           "/kv=fp8/quant=tensor/layout=vectorized/strided=1 batch_prefill/" +
                                           sizes + "/layout=hnd batch_prefill/" + sizes +
                                           "/kv=fp8/quant=tensor/layout=hnd/interleaved=1");
  REQUIRE(records.size() == 6);
  for (const json& record : records) {
    INFO(record.at("case").get<std::string>() << ": " << record.at("reason").get<std::string>());
    CHECK(record.at("outcome") == "passed");
  }
}

TEST_CASE("examples of manifests: what they do not name they do not have") {
  for (const auto& [word, reason] : {std::pair("window=40:0", "a sliding window"),
                                     {"sinklogit=1", "a sink logit in the denominator"},
                                     {"cap=5.5", "a soft cap"},
                                     {"kv=fp16/q=fp16/o=fp16", "needs query in ('bf16', 'fp8')"}}) {
    INFO(word);
    const std::vector<json> records =
        accuracy_of("external:one_wave", std::string("batch_prefill/h=4:2/sq=12/sk=100/") + word);
    REQUIRE(records.size() == 1);
    CHECK(records[0].at("outcome") == "unsupported");
    CHECK(records[0].at("reason").get<std::string>().find(reason) != std::string::npos);
  }
}

TEST_CASE("examples of manifests: the time of conversions stands apart") {
  const std::string text = "batch_prefill/h=4:2/sq=12/sk=100/kv=fp8/quant=tensor/q=fp8";
  const Ran ran = run_fmha950("compare --perf --no-interval baseline external:one_wave " + text + external);
  INFO(joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK(joined(ran.out).find("convert tensors for its kernels") != std::string::npos);
  CHECK(joined(ran.out).find("external:one_wave / baseline, modelled speed, conversions left out") !=
        std::string::npos);
}

TEST_CASE("examples of manifests: a P that the kernels cannot multiply is refused") {
  const TemporaryFolder folder;
  for (const char* file : {"pipelined_unsplit.json", "pipelined_f8f6f4.co", "pipelined_f8f6f4_blockscale.co"})
    std::filesystem::copy_file(std::filesystem::path(EXTERNAL_EXAMPLES) / file, folder.path() / file);
  json manifest = json::parse(contents((folder.path() / "pipelined_unsplit.json").string()));
  manifest["judged"]["p"] = "bf16";
  std::ofstream(folder.path() / "pipelined_unsplit.json") << manifest.dump();
  const Ran ran =
      run_fmha950("accuracy --impl external:pipelined_unsplit --json --external " + folder.path().string() +
                  " batch_prefill/h=6:1/sq=128/sk=1024/q=fp8/kv=fp8/quant=tensor");
  REQUIRE(ran.out.size() == 1);
  const json record = json::parse(ran.out[0]);
  CHECK(record.at("outcome") == "invalid_input");
  CHECK(record.at("reason").get<std::string>().find(
            "judged.p = bf16: must be a type that the kernels' matrix instructions take and add up over "
            "their loops: f8f6f4") != std::string::npos);
}

TEST_CASE("examples of manifests: P is what sums over a loop are multiplied by, not what else a kernel "
          "multiplies") {
  const TemporaryFolder folder;
  std::filesystem::copy_file(CODE_OBJECTS "/matrix_products.co", folder.path() / "products.co");
  const auto said = [&](const std::string& symbol, const json& judged) {
    json manifest = {{"schema", 1}, {"name", "products"}, {"operator", "batch_prefill"}};
    manifest["needs"] = json::array({"page_size == 16 and table == 'sglang'"});
    manifest["launches"] = {{{"object", "products.co"},
                             {"symbol", symbol},
                             {"grid", 1},
                             {"block", 64},
                             {"arguments", {"ptr:k_pool", "ptr:v_pool", "ptr:output", "i32:1"}},
                             {"rows", "all"}}};
    manifest["judged"] = judged;
    manifest["judged"].update({{"tile_rows", 32}, {"tile_keys", 32}});
    std::ofstream(folder.path() / "products.json") << manifest.dump();
    const Ran ran = run_fmha950("accuracy --impl external:products --json --external " +
                                folder.path().string() + " batch_prefill/h=2:1/sq=8/sk=512");
    REQUIRE(ran.out.size() == 1);
    const json record = json::parse(ran.out[0]);
    // Nonsense is computed, once the plan is made.
    return record.at("outcome") == "invalid_input" ? record.at("reason").get<std::string>() : "planned";
  };
  const json fp8 = {{"p", "fp8"}, {"p_shift", 8}}, bf16 = {{"p", "bf16"}};
  CHECK(said("like_attention", fp8) == "planned");
  CHECK_THAT(
      said("like_attention", bf16),
      Catch::Contains("judged.p = bf16: must be a type that the kernels' matrix instructions take and add up "
                      "over their loops: fp8"));
  CHECK_THAT(said("exchanged", fp8),
             Catch::Contains(
                 "judged.p = fp8: must be bf16, the finest of the types that the kernels multiply and add "
                 "up over their loops: bf16, fp8"));
  CHECK(said("exchanged", bf16) == "planned");
  CHECK_THAT(said("like_attention", {{"p", "mxfp8"}}), Catch::Contains("judged.p = mxfp8: must be a type"));
}
