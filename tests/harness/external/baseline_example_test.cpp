// examples/external/baseline.json against the built-in implementation that it repeats: the same bits, the same modelled
// clocks. The program does the work, on the embedded device.
#include "interface/case_string.hpp"
#include "interface/names.hpp"
#include "tests/harness/program.hpp"
#include "tests/harness/python.hpp"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace fmha950;
using nlohmann::json;

namespace {

const std::string examples = EXTERNAL_EXAMPLES;
const std::string both = " --impl baseline,external:baseline --external " + examples;

std::vector<json> records_of(const std::string& arguments) {
  const Ran ran = run_fmha950(arguments + " --json");
  INFO(joined(ran.err));
  CHECK(ran.exit_code == 0);
  std::vector<json> records;
  for (const std::string& line : ran.out) records.push_back(json::parse(line));
  return records;
}

// By what the manifest chooses a kernel.
std::string entry_of(const Problem& problem) {
  const bool page = problem.quantisation == Quantisation::page;
  return fmt::format("{} {} d={} {}", name_of(problem.kv_type),
                     page ? problem.page_size < 64 ? "small" : "large" : "", problem.head_dim,
                     name_of(problem.kv_layout));
}

double work_of(const Problem& problem) {
  double work = 1;
  for (const Request& request : problem.requests) work += double(request.query_length) * request.key_length;
  return work * problem.query_heads * problem.head_dim;
}

// The case of baseline-grid with the least work for each of the manifest's kernels, if it has some.
std::vector<std::string> case_of_each_kernel() {
  std::map<std::string, std::pair<double, std::string>> least;
  for (const std::string& text : run_fmha950("list --list baseline-grid").out) {
    const Problem problem = parse_case(text);
    const std::pair<double, std::string> one{work_of(problem), text};
    if (one.first < 1e5) continue; // nearly nothing would be compared
    const auto [place, is_new] = least.emplace(entry_of(problem), one);
    if (!is_new) place->second = std::min(place->second, one);
  }
  std::vector<std::string> cases;
  for (const auto& [entry, one] : least) cases.push_back(one.second);
  return cases;
}

// Of its output and LSE; the external one's variant.
std::string check_same_bits(const std::string& text) {
  INFO(text);
  const TemporaryFolder folder;
  const std::filesystem::path saved = folder.path() / "case";
  const std::vector<json> records = records_of("run '" + text + "'" + both + " --save " + saved.string());
  REQUIRE(records.size() == 2);
  for (const json& record : records) CHECK(record.at("outcome") == "passed");
  bool has_output = false;
  for (const std::string tensor : {"output", "lse"}) {
    const std::filesystem::path built_in = saved / (tensor + "_baseline.npy"),
                                external = saved / (tensor + "_external:baseline.npy");
    CHECK(exists(built_in) == exists(external));
    if (!exists(built_in)) continue;
    has_output = true;
    CHECK(contents(built_in) == contents(external));
  }
  CHECK(has_output);
  const json& variant = records[1].at("variant"); // none where nothing is launched
  return variant.is_null() ? "" : variant.get<std::string>();
}

} // namespace

TEST_CASE("the baseline by a manifest has the same bits, of a case for each of its kernels", "[slow]") {
  std::set<std::string> chosen;
  for (const std::string& text : case_of_each_kernel()) chosen.insert(check_same_bits(text));
  const json manifest = json::parse(contents(examples + "/baseline.json"));
  std::set<std::string> named;
  for (const json& kernel : manifest.at("launches")[0].at("kernels"))
    named.insert(kernel.at("object").get<std::string>() + "/" + kernel.at("symbol").get<std::string>());
  CHECK(named.size() == 30);
  CHECK(chosen == named);
}

TEST_CASE("the baseline by a manifest has the same bits, of HND and of K and V in one pool") {
  for (const std::string pool : {"/layout=hnd/page=32", "/interleaved=1", "/layout=hnd/interleaved=1"})
    check_same_bits("batch_prefill/h=4:2/sq=30,5/sk=100,40/kv=fp8/q=fp8/quant=page" + pool + "/lse=1");
  check_same_bits("batch_prefill/h=4:2/sq=30,5/sk=100,40/layout=vectorized/interleaved=1/causal=1/lse=1");
}

// Each shard is a test, so that ctest runs several at once.
TEMPLATE_TEST_CASE_SIG("the baseline by a manifest has the same bits, of a twelfth of baseline-grid",
                       "[slow]", ((int shard), shard), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) {
  int compared = 0;
  for (const std::string& text :
       run_fmha950(fmt::format("list --list baseline-grid --shard {}/12", shard)).out) {
    check_same_bits(text);
    ++compared;
  }
  CHECK(compared == (shard <= 6 ? 60 : 59)); // of 714
}

TEST_CASE("the baseline by a manifest: accuracy, modelled clocks and plan are those of the built-in one") {
  // So small that all of its workgroups are modelled. In larger ones other workgroups are, as the example's cost is simpler and
  // its order knows no chiplets.
  const std::string text =
      "batch_prefill/h=8:2/sq=30,50/sk=200,300/q=fp8/kv=fp8/quant=page/page=64/causal=1/lse=1";
  const std::vector<json> records = records_of("perf '" + text + "'" + both);
  REQUIRE(records.size() == 2);
  const json &built_in = records[0], &external = records[1];
  CHECK(external.at("resolved") == "external:baseline");
  for (const json& record : records) CHECK(record.at("outcome") == "passed");
  CHECK(built_in.at("external").is_null());
  CHECK(external.at("external").get<std::string>().size() == 16);
  for (const char* key : {"p", "p_weighted", "sum", "accuracy", "workspace_bytes"}) {
    INFO(key);
    CHECK(built_in.at(key) == external.at(key));
  }
  CHECK(built_in.at("modelled").at("clocks").get<double>() > 1000);
  for (const char* key : {"clocks", "flops", "tile_flops", "sampling_error", "launches"}) {
    INFO(key);
    CHECK(built_in.at("modelled").at(key) == external.at("modelled").at(key));
  }
  CHECK_THAT(external.at("reproduce").get<std::string>(),
             Catch::Contains("--impl external:baseline --external '" + examples + "'"));
}

TEST_CASE("external implementations: auto never chooses one, and others name theirs") {
  const std::string text = "batch_prefill/h=2:1/sq=8/sk=32/lse=1";
  const std::vector<json> by_auto = records_of("run '" + text + "' --external " + examples);
  REQUIRE(by_auto.size() == 1);
  CHECK_FALSE(by_auto[0].at("resolved").get<std::string>().starts_with("external:"));
  // A case that no built-in implementation takes: auto says so, although an external one might.
  const Ran unknown = run_fmha950("run '" + text + "' --impl external:none --external " + examples);
  CHECK(unknown.exit_code == 3);
  CHECK_THAT(joined(unknown.err), Catch::Contains("external:baseline"));
  const Ran without = run_fmha950("run '" + text + "' --impl external:baseline");
  CHECK(without.exit_code == 3); // nobody said where it is
  CHECK(
      run_fmha950("run '" + text + "' --impl external:baseline", "FMHA950_EXTERNAL=" + examples).out.back() ==
      "1 passed, 0 failed, 0 skipped");
}

TEST_CASE("external implementations: a case that one does not take says which term is false") {
  const auto reason = [](const std::string& text, const std::string& name) {
    const std::vector<json> records =
        records_of("run '" + text + "' --impl external:" + name + " --external " + examples);
    return records.size() == 1 && records[0].at("outcome") == "unsupported"
               ? records[0].at("reason").get<std::string>()
               : "not unsupported";
  };
  CHECK(reason("batch_prefill/h=2:1/sq=8/sk=32/d=128/q=fp8/kv=fp8/quant=mx", "baseline") ==
        "needs quant != 'mx'");
  CHECK(reason("batch_prefill/h=2:1/sq=8/sk=32/d=128/q=bf16/kv=fp8/quant=tensor", "baseline") ==
        "needs query == kv");
  CHECK(reason("append_prefill/h=2:1/sq=8/sk=32/d=128", "baseline") == "operator append_prefill");
  // one_wave names causal, but no window, cap or sink.
  const std::string one = "batch_prefill/h=2:1/sq=8/sk=32/d=128/";
  CHECK(reason(one + "window=5:0", "one_wave") == "a sliding window: the manifest uses window_left nowhere");
  CHECK(reason(one + "cap=30", "one_wave") == "a soft cap: the manifest uses soft_cap nowhere");
  CHECK(reason(one + "sinklogit=1", "one_wave") ==
        "a sink logit in the denominator: the manifest uses sink_logit nowhere");
}

TEST_CASE("external implementations: --resume tells a changed manifest, object or planner from the old one") {
  const TemporaryFolder folder;
  const std::filesystem::path mine = folder.path() / "mine";
  std::filesystem::create_directory(mine);
  for (const auto& file : std::filesystem::directory_iterator(examples))
    if (file.path().filename().string().starts_with("baseline")) std::filesystem::copy(file.path(), mine);
  const std::string run = "run batch_prefill/h=2:1/sq=8/sk=32 --impl external:baseline --resume --output " +
                          (folder.path() / "f").string() + " --external " + mine.string();
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 0 skipped (0 kept)");
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 0 skipped (1 kept)");
  json manifest = json::parse(contents(mine / "baseline.json"));
  manifest["description"] = "changed";
  std::ofstream(mine / "baseline.json") << manifest.dump();
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 0 skipped (0 kept)");
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 0 skipped (1 kept)");
  std::ofstream(mine / "baseline_fp16_d64.co", std::ios::app) << '\0'; // which this case does not even use
  CHECK(run_fmha950(run).out.back() == "1 passed, 0 failed, 0 skipped (0 kept)");

  for (const auto& file : std::filesystem::directory_iterator(examples))
    if (file.path().filename().string().starts_with("pipelined")) std::filesystem::copy(file.path(), mine);
  const std::string planned = "run batch_prefill/h=2:1/sq=8/sk=32/q=fp8/kv=fp8/quant=tensor/page=64 --resume "
                              "--impl external:pipelined_split --output " +
                              (folder.path() / "g").string() + " --external " + mine.string();
  CHECK(run_fmha950(planned).out.back() == "1 passed, 0 failed, 0 skipped (0 kept)");
  CHECK(run_fmha950(planned).out.back() == "1 passed, 0 failed, 0 skipped (1 kept)");
  std::ofstream(mine / "pipelined_plan.py", std::ios::app) << "# changed\n";
  CHECK(run_fmha950(planned).out.back() == "1 passed, 0 failed, 0 skipped (0 kept)");
}
