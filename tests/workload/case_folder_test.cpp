#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

#include <cstring>
#include <sys/stat.h>

using namespace fmha950;
using namespace fmha950::workload;
using Json = nlohmann::json;

namespace {

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.type() == b.type() &&
         (a.empty() || !std::memcmp(a.data(), b.data(), a.bytes()));
}

Problem problem_of(const std::string& rest) {
  const bool has_columns = rest.find("/d=") != std::string::npos;
  return parse_case((has_columns ? "batch_prefill/h=2:1/" : "batch_prefill/h=2:1/d=64/") + rest);
}

std::string load_error(const std::filesystem::path& folder) {
  try {
    load_case_folder(folder);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

// A saved folder whose manifest is changed before it is loaded.
struct Edited {
  TemporaryFolder folder;
  Json manifest;
  Edited() {
    const Problem problem = problem_of("sq=3/sk=40/kv=fp8/quant=tensor");
    save_case_folder(folder.path() / "c", problem, make_tensors(problem), {});
    std::ifstream(folder.path() / "c/manifest.json") >> manifest;
  }
  std::string error() const {
    folder.write("c/manifest.json", manifest.dump());
    return load_error(folder.path() / "c");
  }
};

} // namespace

TEST_CASE("a saved case comes back bit for bit") {
  for (const char* rest :
       {"sq=3,9/sk=40,17/q=fp8/kv=fp8/quant=mx/page=32/layout=vectorized/lse=1", "sq=3/sk=40/table=vllm",
        "sq=3/sk=40/q=fp16/kv=fp8/quant=page/sinklogit=1", "sq=0/sk=0/spare=0",
        "sq=3/sk=40/kv=fp8/quant=page/layout=hnd/interleaved=1",
        "sq=3/sk=40/d=192:128/q=fp8/kv=fp8/quant=page", "sq=30,3/sk=40,17/causal=1/tree=16/table=vllm",
        "trace=toolagent@100+3:512/kv=fp8/quant=tensor/values=outlier"}) {
    INFO(rest);
    const TemporaryFolder folder;
    const Problem problem = problem_of(rest);
    Problem resolved = problem;
    resolve_trace(resolved);
    const Tensors t = make_tensors(problem);
    SavedResult result;
    result.implementation = "prepass";
    result.variant = "prepass_mx";
    result.output = Tensor(ElementType::bf16, {resolved.total_queries(), 2, 64});
    if (!result.output.empty()) result.output.as<uint16_t>()[5] = 0x3f80;
    if (problem.lse) result.lse = Tensor(ElementType::fp32, {12, 2});
    save_case_folder(folder.path() / "c", problem, t, {result});
    const CaseFolder back = load_case_folder(folder.path() / "c");

    CHECK(back.problem.requests == resolved.requests);
    CHECK_FALSE(back.problem.trace);
    CHECK(back.made_from == print_case(problem));
    for (auto member :
         {&Tensors::q, &Tensors::k_pool, &Tensors::v_pool, &Tensors::q_descale, &Tensors::k_descale,
          &Tensors::v_descale, &Tensors::sink_logit, &Tensors::q_indptr, &Tensors::kv_indptr,
          &Tensors::kv_page_indices, &Tensors::kv_last_page_lens, &Tensors::block_table, &Tensors::seqlen_k,
          &Tensors::q_original, &Tensors::k_original, &Tensors::v_original})
      CHECK(same(back.tensors.*member, t.*member));
    CHECK_NOTHROW(validate_tensors(back.problem, back.tensors));
    REQUIRE(back.results.size() == 1);
    CHECK(back.results[0].implementation == "prepass");
    CHECK(back.results[0].variant == "prepass_mx");
    CHECK(same(back.results[0].output, result.output));
    CHECK(same(back.results[0].lse, result.lse));
  }
}

TEST_CASE("a saved case of sparse_prefill comes back bit for bit, and needs its rows and lists") {
  for (const char* rest :
       {"kv=bf16/sinklogit=1", "kv=fp8/lists=empty", "kv=fp8/format=packed/prefix=3,0/extend=0"}) {
    INFO(rest);
    const TemporaryFolder folder;
    const Problem problem =
        parse_case(std::string("sparse_prefill/h=16/n=2/pool=20/chunk=0/scale=0.0442/") + rest);
    const Tensors t = make_tensors(problem);
    save_case_folder(folder.path() / "c", problem, t, {});
    const CaseFolder back = load_case_folder(folder.path() / "c");
    CHECK(back.problem == problem);
    for (auto rows : {&SparseTensors::q, &SparseTensors::pool, &SparseTensors::chunk})
      for (auto member : {&SparseRows::nope, &SparseRows::rope, &SparseRows::scale, &SparseRows::original})
        CHECK(same(sparse_tensors(back.tensors).*rows.*member, sparse_tensors(t).*rows.*member));
    for (auto member : {&SparseTensors::prefix_indptr, &SparseTensors::prefix_indices,
                        &SparseTensors::extend_indptr, &SparseTensors::extend_indices})
      CHECK(same(sparse_tensors(back.tensors).*member, sparse_tensors(t).*member));
    CHECK(same(back.tensors.sink_logit, t.sink_logit));
    CHECK_NOTHROW(validate_tensors(back.problem, back.tensors));

    Json manifest;
    std::ifstream(folder.path() / "c/manifest.json") >> manifest;
    manifest["tensors"].erase("extend_indptr");
    folder.write("c/manifest.json", manifest.dump());
    CHECK(load_error(folder.path() / "c") ==
          "manifest.json: tensors.extend_indptr = (missing): must be there");
  }
}

TEST_CASE("a folder needs no more than case, inputs and tables") {
  Edited edited;
  edited.manifest.erase("made_from");
  edited.manifest.erase("results");
  for (const char* name : {"q_indptr", "q_original", "k_original", "v_original"})
    edited.manifest["tensors"].erase(name);
  for (auto& tensor : edited.manifest["tensors"]) tensor.erase("shape");
  CHECK(edited.error() == "");
  const CaseFolder loaded = load_case_folder(edited.folder.path() / "c");
  CHECK_NOTHROW(validate_tensors(loaded.problem, loaded.tensors));
  CHECK(loaded.tensors.q_indptr.as<const int32_t>()[1] == 3);
}

TEST_CASE("malformed manifests are refused with the entry, its value and what would be right") {
  SECTION("no manifest") {
    const TemporaryFolder folder;
    CHECK(load_error(folder.path()) ==
          "case folder = " + (folder.path() / "manifest.json").string() + ": cannot be read");
  }
  SECTION("not JSON") {
    Edited edited;
    edited.folder.write("c/manifest.json", "{\"format\": ");
    CHECK_THAT(load_error(edited.folder.path() / "c"),
               Catch::Contains("is not JSON") && Catch::Contains("line 1"));
  }
  SECTION("nested so deep that printing it would overflow the stack") {
    Edited edited;
    const std::string deep(1'000'000, '[');
    edited.folder.write("c/manifest.json", "{\"format\": " + deep + std::string(deep.size(), ']') + "}");
    CHECK_THAT(load_error(edited.folder.path() / "c"), Catch::Contains("is nested deeper than 32 levels"));
  }
  SECTION("a number that no double holds") {
    Edited edited;
    edited.folder.write("c/manifest.json", "{\"format\": -9999E9999}");
    CHECK_THAT(load_error(edited.folder.path() / "c"), Catch::Contains("is not JSON"));
  }
  SECTION("a key given twice, of which the parser would take the last") {
    Edited edited;
    const std::string file = (edited.folder.path() / "c/manifest.json").string() + ": ";
    edited.folder.write("c/manifest.json",
                        R"({"version": 1, "tensors": {"q": {}, "k_pool": {"q": 1}, "q": 3}})");
    CHECK(load_error(edited.folder.path() / "c") == file + "tensors.q = given twice: must be there once");
    edited.folder.write("c/manifest.json", R"({"version": 1, "format": "a", "version": 1})");
    CHECK(load_error(edited.folder.path() / "c") == file + "version = given twice: must be there once");
    edited.folder.write("c/manifest.json",
                        R"({"results": [{"output": {}}, {"output": {"file": 1, "file": 2}}]})");
    CHECK(load_error(edited.folder.path() / "c") ==
          file + "results[1].output.file = given twice: must be there once");
  }
  SECTION("a tensor's file, or the manifest, that is a pipe or a folder") {
    const Edited edited;
    const std::filesystem::path folder = edited.folder.path() / "c";
    const auto replace = [&](const char* name, bool by_pipe) {
      std::filesystem::remove_all(folder / name);
      if (by_pipe)
        REQUIRE(mkfifo((folder / name).c_str(), 0600) == 0);
      else
        std::filesystem::create_directory(folder / name);
    };
    for (const bool pipe : {true, false}) { // opening the pipe would wait for a writer
      const std::string kind = pipe ? "a named pipe" : "a directory";
      replace("q.npy", pipe);
      CHECK(edited.error() ==
            "file " + (folder / "q.npy").string() + " = " + kind + ": must be a regular file, a .npy file");
    }
    replace("manifest.json", true);
    CHECK(load_error(folder) == "case folder = " + (folder / "manifest.json").string() +
                                    ": must be a regular file, and is a named pipe");
  }
  SECTION("not an object") {
    Edited edited;
    edited.manifest = Json::array();
    CHECK(edited.error() == "manifest.json: = []: must be an object");
  }
  SECTION("other format") {
    Edited edited;
    edited.manifest["format"] = "zip";
    CHECK(edited.error() == "manifest.json: format = \"zip\": must be \"fmha950-case\"");
  }
  SECTION("later version") {
    Edited edited;
    edited.manifest["version"] = 2;
    CHECK(edited.error() == "manifest.json: version = 2: must be 1, the version that this program reads");
  }
  SECTION("absent case") {
    Edited edited;
    edited.manifest.erase("case");
    CHECK(edited.error() == "manifest.json: case = (missing): must be there");
  }
  SECTION("case is a number") {
    Edited edited;
    edited.manifest["case"] = 3;
    CHECK(edited.error() == "manifest.json: case = 3: must be a string");
  }
  SECTION("malformed case") {
    Edited edited;
    edited.manifest["case"] = "batch_prefill/h=2:1/sq=3/sk=40/d=64/page=x";
    CHECK(edited.error() == "manifest.json: case: page = x: must be a number of tokens of at least 1");
  }
  SECTION("case with a trace") {
    Edited edited;
    edited.manifest["case"] = "batch_prefill/h=2:1/trace=toolagent@0+1/d=64";
    CHECK(edited.error() ==
          "manifest.json: case = \"batch_prefill/h=2:1/trace=toolagent@0+1/d=64\": must spell out sq= and "
          "sk=, a folder holds no trace");
  }
  SECTION("missing tensor") {
    Edited edited;
    edited.manifest["tensors"].erase("kv_indptr");
    CHECK(edited.error() == "manifest.json: tensors.kv_indptr = (missing): must be there");
  }
  SECTION("unknown tensor") {
    Edited edited;
    edited.manifest["tensors"]["queries"] = 1;
    CHECK_THAT(edited.error(),
               Catch::StartsWith("manifest.json: tensors = queries: must be one of q, k_pool, "));
  }
  SECTION("a tensor of another operator") {
    Edited edited;
    edited.manifest["tensors"]["prefix_indptr"] = 1;
    CHECK_THAT(edited.error(), Catch::Contains("must be one of q, k_pool, "));
  }
  SECTION("unknown type") {
    Edited edited;
    edited.manifest["tensors"]["q"]["type"] = "fp4";
    CHECK(
        edited.error() ==
        "manifest.json: tensors.q.type = \"fp4\": must be one of bf16, fp16, fp8, e8m0, fp32, int32, mxfp4");
  }
  SECTION("file outside") {
    Edited edited;
    edited.manifest["tensors"]["q"]["file"] = "../q.npy";
    CHECK(edited.error() == "manifest.json: tensors.q.file = \"../q.npy\": must be a file inside the folder");
  }
  SECTION("file missing") {
    Edited edited;
    edited.manifest["tensors"]["q"]["file"] = "p.npy";
    CHECK(edited.error() == "manifest.json: tensors.q.file = \"p.npy\": does not exist in " +
                                (edited.folder.path() / "c").string());
  }
  SECTION("other shape than the file") {
    Edited edited;
    edited.manifest["tensors"]["q"]["shape"] = {3, 2, 32};
    CHECK(edited.error() == "manifest.json: tensors.q.shape = [3,2,32]: the file holds [3,2,64]");
  }
  SECTION("other type than the file") {
    Edited edited;
    edited.manifest["tensors"]["q"]["type"] = "fp8";
    CHECK_THAT(edited.error(), Catch::Contains("q.npy"));
  }
  SECTION("results are no array") {
    Edited edited;
    edited.manifest["results"] = "none";
    CHECK(edited.error() == "manifest.json: results = \"none\": must be an array");
  }
  SECTION("result without an output") {
    Edited edited;
    edited.manifest["results"] = {{{"implementation", "x"}, {"variant", "y"}}};
    CHECK(edited.error() == "manifest.json: results[0].output = (missing): must be there");
  }
}

TEST_CASE("a folder that holds a case is not overwritten") {
  Edited edited;
  const Problem problem = problem_of("sq=3/sk=40");
  CHECK_THROWS_WITH(save_case_folder(edited.folder.path() / "c", problem, make_tensors(problem), {}),
                    Catch::Contains("already holds a manifest.json, name a new folder"));
}
