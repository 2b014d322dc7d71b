// The program itself on the embedded device: what scripts rely on of its output and exit codes.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

const std::string small = "batch_prefill/h=2:1/sq=20/sk=40/d=128/q=fp8/kv=fp8/quant=page/causal=1/lse=1";

} // namespace

TEST_CASE("accuracy: the table's last line is the closing line") {
  const Ran ran = run_fmha950("accuracy " + small + " --impl prepass --schedules eager,lazy --threads 1,2");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 4);
  CHECK(ran.out[1] == small);
  CHECK(ran.out.back() == "1 passed, 0 failed, 0 skipped");
}

TEST_CASE("compare: the named implementations in their order under the reference") {
  const Ran ran = run_fmha950("compare " + small + " --impl prepass,baseline");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 7);
  CHECK(ran.out[0] == small);
  CHECK(ran.out[2].starts_with("  reference "));
  CHECK(ran.out[3].starts_with("  prepass  "));
  CHECK(ran.out[4].starts_with("  baseline "));
  CHECK(ran.out[5].starts_with("rmse of baseline / prepass: geometric mean "));
  CHECK(ran.out.back() == "2 passed, 0 failed, 0 skipped");
}

TEST_CASE("accuracy: with --json and --csv stdout holds nothing but records") {
  const Ran json = run_fmha950("accuracy " + small + " --impl prepass --json");
  REQUIRE(json.out.size() == 1);
  const auto record = nlohmann::json::parse(json.out[0]);
  CHECK(record["outcome"] == "passed");
  CHECK(record["case"] == small);
  CHECK(record["environment"]["embedded"] == true);
  CHECK(json.err.back() == "1 passed, 0 failed, 0 skipped");
  const Ran csv = run_fmha950("accuracy " + small + " --impl prepass --csv");
  REQUIRE(csv.out.size() == 2);
  CHECK(csv.err.back() == "1 passed, 0 failed, 0 skipped");
}

TEST_CASE(
    "accuracy: what is not supported is skipped, with the reasons and their counts above the closing line") {
  const Ran ran = run_fmha950(
      "accuracy batch_prefill/h=2:1/sq=20/sk=40/d=64 batch_prefill/h=2:1/sq=21/sk=40/d=64 --impl prepass");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 2); // counted, not printed
  CHECK(ran.out[0].starts_with("skipped 2: "));
  CHECK(ran.out[1] == "0 passed, 0 failed, 2 skipped");
  const Ran verbose =
      run_fmha950("accuracy batch_prefill/h=2:1/sq=20/sk=40/d=64 --impl prepass --verbose --markdown");
  REQUIRE(verbose.out.size() == 5);
  CHECK_THAT(verbose.out[2], Catch::Contains("unsupported"));
}

TEST_CASE("run: the attention kernels give the same bits on every vector width of the host") {
  const TemporaryFolder folder;
  const auto output_on = [&](const std::string& simd) {
    std::string bytes;
    for (const std::string impl : {"prepass", "baseline"}) { // matrix operands in bf16 and in fp8
      const std::string to = folder.path() / (impl + simd);
      CHECK(run_fmha950("run " + small + " --impl " + impl + " --save " + to, "FMHA950_SIMD=" + simd)
                .exit_code == 0);
      for (const std::string file : {"output_", "lse_"})
        bytes += bytes_of(std::filesystem::path(to) / (file + impl + ".npy"));
    }
    return bytes;
  };
  const std::string baseline = output_on("baseline");
  REQUIRE(baseline.size() > 2 * 20 * 2 * 128 * 2);
  if (__builtin_cpu_supports("x86-64-v3")) CHECK(output_on("avx2") == baseline);
  if (__builtin_cpu_supports("x86-64-v4")) CHECK(output_on("avx512") == baseline);
  if (__builtin_cpu_supports("avx512vbmi")) CHECK(output_on("avx512_vbmi") == baseline);
}

TEST_CASE("run: a saved case runs again from its folder to the same bits") {
  const TemporaryFolder folder;
  const std::string first = folder.path() / "first", second = folder.path() / "second";
  CHECK(run_fmha950("run " + small + " --impl prepass --save " + first).exit_code == 0);
  const Ran again = run_fmha950("run --load " + first + " --impl prepass --save " + second);
  CHECK(again.exit_code == 0);
  int compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(first)) {
    if (entry.path().extension() != ".npy" || entry.path().string().find("original") != std::string::npos)
      continue;
    CAPTURE(entry.path());
    CHECK(bytes_of(entry.path()) == bytes_of(second / std::filesystem::relative(entry.path(), first)));
    ++compared;
  }
  CHECK(compared >= 9); // q, two pools, three descales, tables, output, LSE
}

TEST_CASE(
    "run: the cache that append_prefill leaves is saved, and is the same after one call and after several") {
  const TemporaryFolder folder;
  const auto cache_after = [&](const std::string& calls) {
    const std::string to = folder.path() / ("c" + calls);
    CHECK(run_fmha950("run append_prefill/h=2:1/sq=30/sk=70/d=64/calls=" + calls +
                      " --impl baseline --save " + to)
              .exit_code == 0);
    const std::filesystem::path saved = to;
    CHECK(bytes_of(saved / "k_cache_baseline.npy") != bytes_of(saved / "k_cache.npy")); // that of before
    return bytes_of(saved / "k_cache_baseline.npy") + bytes_of(saved / "v_cache_baseline.npy");
  };
  const std::string cache = cache_after("1");
  CHECK(cache.size() > 2 * 70 * 64);
  CHECK(cache_after("5") == cache);
}

TEST_CASE("bad arguments: the message names field, value and what would be right, exit code 3") {
  const Ran list = run_fmha950("accuracy --list nonesuch");
  CHECK(list.exit_code == 3);
  CHECK(list.err.back().starts_with("fmha950: list = nonesuch: must be a file of "));
  const Ran implementation = run_fmha950("run " + small + " --impl nonesuch");
  CHECK(implementation.exit_code == 3);
  CHECK(implementation.err.back().starts_with("fmha950: implementation = nonesuch: must be one of "));
}

TEST_CASE("list: implementations, case lists, and why a case is not supported") {
  const Ran overview = run_fmha950("list");
  CHECK(overview.out.front() == "implementations");
  const Ran why = run_fmha950("list --impl prepass --why batch_prefill/h=2:1/sq=20/sk=40/d=64");
  REQUIRE(why.out.size() == 2);
  CHECK(why.out[1].starts_with("  prepass        unsupported: "));
  const Ran choice = run_fmha950("list --impl auto --why batch_prefill/h=2:1/sq=20/sk=40/d=128/cap=30");
  REQUIRE(choice.out.size() >= 2);
  CHECK(choice.out.back().ends_with(" chosen by rank"));
  for (size_t i = 1; i + 1 < choice.out.size(); ++i)
    CHECK(choice.out[i].find(" passed over: ") != std::string::npos);
  const Ran none = run_fmha950("list --impl auto --why batch_prefill/h=2:1/sq=20/sk=40/d=128/q=fp16/o=fp16");
  CHECK(none.out.back() == "  auto           unsupported: no implementation takes it");
  CHECK(none.out[1].find(" passed over: fp16 queries with bf16 keys") != std::string::npos);
}

TEST_CASE("list --why: what each would take, and what auto chooses, without a device") {
  const auto why = [](const std::string& text) {
    // Any use of a device would fail.
    const Ran ran = run_fmha950("list --why " + text, "FMHA950_HIP_LIBRARY=/nowhere");
    REQUIRE(ran.exit_code == 0);
    return joined(ran.out);
  };
  const std::string decoding = "batch_prefill/h=32:4/b=64/sq=1/sk=8192/q=fp8/kv=fp8/quant=tensor";
  const std::string by_estimate = why(decoding);
  CAPTURE(by_estimate);
  CHECK(std::regex_search(
      by_estimate,
      std::regex(R"(  fused +supported, estimated [\d.]+ us; auto chooses it by the least estimate\n)")));
  CHECK(std::regex_search(by_estimate, std::regex(R"(  pipelined +supported, estimated [\d.]+ us\n)")));
  CHECK(std::regex_search(by_estimate, std::regex(R"(  pipelined_direct_p +supported\n)")));
  CHECK(std::regex_search(by_estimate, std::regex(R"(  combine +unsupported: operator )")));
  const std::string by_rank = why(decoding + "/deterministic=1");
  CHECK(by_rank.find("us; auto chooses it by rank: with deterministic=1 no lengths decide") !=
        std::string::npos);
}

TEST_CASE("device: path is a folder with the library, coverage closes with the count") {
  const Ran path = run_fmha950("device path");
  REQUIRE(path.out.size() == 1);
  CHECK(std::filesystem::exists(std::filesystem::path(path.out[0]) / "libamdhip64.so"));
  const Ran coverage = run_fmha950("device --coverage");
  REQUIRE(!coverage.out.empty());
  CHECK(std::regex_match(coverage.out.back(), std::regex(R"(\d+ of \d+ opcodes \([\d.]+ %\))")));
}

TEST_CASE("bench: every figure is one line `name value unit`", "[slow]") {
  const Ran ran = run_fmha950("bench --repeats 1");
  CHECK(ran.exit_code == 0);
  std::set<std::string> names;
  for (const std::string& line : ran.out) {
    std::smatch match;
    REQUIRE(std::regex_match(line, match, std::regex(R"((\w+) [\d.e+-]+ [\w/]+)")));
    names.insert(match[1]);
  }
  for (const char* name : {"mfma_bf16_of_fma_peak", "attention_bf16_of_fma_peak",
                           "attention_fp8_f8f6f4_of_fma_peak", "attention_fp8_32x32x16_of_fma_peak",
                           "attention_bf16_two_core_scaling", "valu_ns", "cure_without_finding"})
    CHECK(names.contains(name));
}

TEST_CASE("bench: a case of one's own, and a Python without torch is refused with what would help",
          "[slow]") {
  const std::string own = "bench --repeats 1 --case batch_prefill/h=2:1/sq=256/sk=256/d=128 --impl baseline";
  const Ran ran = run_fmha950(own);
  CHECK(ran.exit_code == 0);
  CHECK(std::ranges::count_if(ran.out, [](const std::string& line) {
          return line.starts_with("attention_of_fma_peak ");
        }) == 1);
  const TemporaryFolder folder;
  const std::string python = folder.path() / "python"; // one that does not look where distributions put it
  std::ofstream(python) << "#!/bin/sh\nexec /usr/bin/python3 -I -S \"$@\"\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Ran no_torch = run_fmha950(own + " --torch " + python);
  CHECK(no_torch.exit_code != 0);
  CHECK_THAT(no_torch.err.back(), Catch::Contains("--torch = " + python + ": has no torch") &&
                                      Catch::Contains("pip install torch"));
}

TEST_CASE("bench: torch's attention is timed beside the device's, by a Python that has it", "[slow]") {
  const TemporaryFolder folder;
  const std::string python = folder.path() / "python"; // prints what analysis/torch_attention.py would
  std::ofstream(python) << "#!/bin/sh\necho torch bf16 1 0.5 0.25\necho torch bf16 2 0.125 0.25\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const Ran ran =
      run_fmha950("bench --repeats 1 --case batch_prefill/h=2:1/sq=256/sk=256/d=128 --torch " + python);
  REQUIRE(ran.exit_code == 0);
  std::map<std::string, double> figures;
  for (const std::string& line : ran.out) {
    std::istringstream fields(line);
    std::string name;
    fields >> name >> figures[name];
  }
  const double gigaflops = 4.0 * 2 * 256 * 256 * 128 / 1e9;
  CHECK(figures.at("torch_bf16_1_thread") == Approx(gigaflops / 0.25).epsilon(1e-3)); // of processor time
  CHECK(figures.at("torch_bf16_2_threads") == Approx(gigaflops / 0.125).epsilon(1e-3));
  CHECK(figures.at("attention_of_torch_bf16_1_thread") ==
        Approx(figures.at("attention") / figures.at("torch_bf16_1_thread")).epsilon(1e-2));
  const Ran masked = run_fmha950(
      "bench --repeats 1 --case batch_prefill/h=2:1/sq=256/sk=256/d=128/causal=1 --torch " + python);
  CHECK(masked.exit_code != 0);
  CHECK_THAT(masked.err.back(), Catch::Contains("must be one request without mask"));
}

TEST_CASE("a program that crashes is not taken for one that succeeds") {
  CHECK(exit_code_of(std::system("exec sh -c 'kill -SEGV $$'")) == 128 + SIGSEGV);
  CHECK(exit_code_of(std::system("exit 3")) == 3);
  CHECK(exit_code_of(std::system("true")) == 0);
}

TEST_CASE("the launcher's report has a help of its own, for which nothing is built") {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out";
  for (const char* option : {"--help", "-h"}) {
    REQUIRE(std::system(
                (fmha950::source_path("fmha950") + " --no-install report " + std::string(option) + " >" + out)
                    .c_str()) == 0);
    std::ifstream file(out);
    const auto lines = lines_of(file);
    REQUIRE(lines.size() > 5);
    CHECK_THAT(lines[1], Catch::StartsWith("Usage: ./fmha950 report"));
  }
}
