// What a case is said to take, against what its tensors have, and what is refused.
#include "harness/cases/case_memory.hpp"
#include "harness/commands/case_command.hpp"
#include "interface/case_string.hpp"
#include "interface/operator.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/mman.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr double gib = 1 << 30;

Problem resolved(const std::string& text) {
  Problem problem = parse_case(text);
  workload::resolve_trace(problem);
  return problem;
}

// Of the tensors' memory what the host has given: pages that were written to.
double bytes_of(std::initializer_list<const Tensor*> tensors) {
  constexpr size_t host_page = 4096;
  double bytes = 0;
  for (const Tensor* tensor : tensors) {
    if (tensor->empty()) continue;
    std::vector<unsigned char> resident((tensor->bytes() + host_page - 1) / host_page);
    REQUIRE(mincore(const_cast<std::byte*>(tensor->data()), tensor->bytes(), resident.data()) == 0);
    const auto pages =
        static_cast<size_t>(std::ranges::count_if(resident, [](auto page) { return page & 1; }));
    bytes += static_cast<double>(std::min(tensor->bytes(), pages * host_page));
  }
  return bytes;
}

struct Really {
  double kept = 0, original = 0;
};

Really of(const Tensors& t) {
  const SparseTensors& s = sparse_tensors(t);
  const AppendTensors& a = append_tensors(t);
  Really bytes;
  bytes.kept = bytes_of({&t.q,
                         &t.k_pool,
                         &t.v_pool,
                         &a.k_new,
                         &a.v_new,
                         &a.call_cuts,
                         &t.q_descale,
                         &t.k_descale,
                         &t.v_descale,
                         &t.sink_logit,
                         &t.q_indptr,
                         &t.kv_indptr,
                         &t.kv_page_indices,
                         &t.kv_last_page_lens,
                         &t.block_table,
                         &t.seqlen_k,
                         &s.prefix_indptr,
                         &s.prefix_indices,
                         &s.extend_indptr,
                         &s.extend_indices,
                         &s.q.nope,
                         &s.q.rope,
                         &s.q.scale,
                         &s.pool.nope,
                         &s.pool.rope,
                         &s.pool.scale,
                         &s.chunk.nope,
                         &s.chunk.rope,
                         &s.chunk.scale});
  bytes.original = bytes_of(
      {&t.q_original, &t.k_original, &t.v_original, &s.q.original, &s.pool.original, &s.chunk.original});
  return bytes;
}

nlohmann::json outcome_of(CaseCommand& cases) {
  const TemporaryFolder folder;
  cases.output.file = (folder.path() / "out.jsonl").string();
  run_accuracy(cases, {});
  return nlohmann::json::parse(std::ifstream(cases.output.file));
}

} // namespace

TEST_CASE("inputs are not said to be smaller than their tensors, and not twice as large") {
  const std::string text = GENERATE(
      as<std::string>(), "batch_prefill/h=1:1/sq=1/sk=1/d=64",
      "batch_prefill/h=8:2/sq=100,3/sk=1000,77/d=128",
      "batch_prefill/h=6:3/sq=9,0,40/sk=0,33,1/d=256/q=fp16/kv=fp16/o=fp16/page=1/table=vllm",
      "batch_prefill/h=4:4/sq=64/sk=900/kv=fp8/page=32/q=fp8/quant=mx/sinklogit=1",
      "batch_prefill/h=4:1/sq=64/sk=900/kv=fp8/page=16/quant=mx",
      "batch_prefill/h=4:2/sq=300/sk=333/kv=fp8/quant=page/page=1/lse=1/paged=0",
      "batch_prefill/h=4:2/sq=300/sk=333/kv=fp8/quant=tensor/page=64/layout=vectorized/strided=1/spare=90",
      "batch_prefill/h=2:1/b=300/sq=1/sk=5/table=vllm/spare=0", "batch_prefill/h=1:1/sq=0/sk=0",
      "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/calls=5", "append_prefill/h=8:8/sq=500/sk=501/page=1/q=fp16",
      "sparse_prefill/h=16/n=9/pool=100/chunk=30/scale=1",
      "sparse_prefill/h=32/n=3/pool=5000/chunk=0/scale=1/kv=fp8/lists=empty",
      "sparse_prefill/h=16/n=40/pool=70/chunk=3000/scale=1/kv=fp8/format=packed/lists=dense/sinklogit=1",
      "sparse_prefill/h=16/n=2/pool=9/chunk=9/scale=1/kv=fp8/prefix=90,0/extend=0,3");
  CAPTURE(text);
  const Problem problem = resolved(text);
  const Really really = of(workload::make_tensors(problem));
  const InputBytes said = problem.op->bytes(problem);
  CHECK(said.kept >= really.kept);
  CHECK(said.kept <= 2 * really.kept);
  CHECK(said.original >= really.original);
  CHECK(said.original <= 2 * really.original + really.kept);
  CHECK(memory_of(problem, {}).inputs >= really.kept + really.original);
  CHECK(memory_of(problem, {}).inputs <= 2 * (really.kept + really.original));
}

TEST_CASE("inputs of shared prefixes and of an allocator's pool are not said to be smaller than they are") {
  for (const char* order : {"shuffled", "sequential", "lru"}) {
    CAPTURE(order);
    const Problem problem = resolved(
        std::string("batch_prefill/h=2:1/trace=toolagent@0+12:16/d=64/kv=fp8/quant=tensor/order=") + order);
    const Really really = of(workload::make_tensors(problem));
    CHECK(problem.op->bytes(problem).kept >= really.kept);
    CHECK(problem.op->bytes(problem).original >= really.original);
  }
}

TEST_CASE("of a sparse pool what is written counts, not what is mapped") {
  const std::string text =
      GENERATE(as<std::string>(), "batch_prefill/h=8:8/sq=3/sk=3000/d=128/page=1024/spare=3000",
               "batch_prefill/h=1:1/sq=3/sk=3000/d=64/page=1/spare=5000000/kv=fp8/quant=tensor",
               "append_prefill/h=2:1/sq=30/sk=3000/d=64/page=16/spare=300000",
               "sparse_prefill/h=16/n=2/pool=8000000/chunk=5/scale=1/kv=fp8/prefix=900/extend=1");
  CAPTURE(text);
  const Problem problem = resolved(text);
  const Tensors tensors = workload::make_tensors(problem);
  const Really really = of(tensors);
  const InputBytes said = problem.op->bytes(problem);
  REQUIRE(static_cast<double>(tensors.k_pool.bytes() + sparse_tensors(tensors).pool.nope.bytes()) >
          4 * said.kept);
  CHECK(said.kept >= really.kept);
  CHECK(said.kept <= 2 * really.kept);
  CHECK(said.original >= really.original);
  CHECK(said.original <= 2 * really.original + really.kept);
}

TEST_CASE("bytes of dequantised copies, outputs, caches and rows that are judged are counted") {
  const Problem plain = resolved("batch_prefill/h=8:2/sq=1000/sk=4000/d=128/kv=fp8/quant=tensor");
  const CaseMemory memory = memory_of(plain, {});
  const double elements = 1000.0 * 8 * 128;
  CHECK(memory.workspace == 2 * 4000.0 * 2 * 128 * 2);
  CHECK(memory.device >= plain.op->bytes(plain).kept + 2 * elements);
  CHECK(memory.results >= elements * (2 + 8 + 1)); // as bytes, as numbers with marks
  CHECK(memory.oracle >= 3 * 8 * elements);        // exact, plain, got
  CHECK(memory_of(plain, {.judged = false}).oracle == 0);
  const double of_scores = 64 * 8 * 4000.0 * 4,
               of_rows = 64 * 8 * 128 * 3 * 8.0; // that are kept for the audit
  CHECK(memory_of(plain, {.oracle_rows = 64}).oracle >= of_scores + of_rows);
  CHECK(memory_of(plain, {.oracle_rows = 10}).oracle < memory.oracle);
  CHECK(memory_of(plain, {.query_tiles = 1}).results < memory.results);
  CHECK(memory_of(plain, {.embedded = false}).device == 0);
  const Problem append = resolved("append_prefill/h=8:2/sq=100/sk=4000/d=128/page=64");
  const Problem calls = resolved("append_prefill/h=8:2/sq=100/sk=4000/d=128/page=64/calls=3");
  CHECK(memory_of(append, {.judged = false}).oracle >= 2 * 4000.0 * 2 * 128);
  CHECK(memory_of(calls, {.judged = false}).oracle > 2 * memory_of(append, {.judged = false}).oracle);
}

TEST_CASE("a large problem that the device runs a sample of does not need room for all its rows") {
  const Problem problem = resolved("batch_prefill/h=16:1/sq=65536/sk=65536/kv=fp8/quant=tensor/causal=1");
  CHECK(memory_of(problem, {}).results < 0.02 * memory_of(problem, {.judged = false}).results);
}

TEST_CASE("cases that no machine holds are refused before anything is allocated") {
  const std::string text = GENERATE(as<std::string>(), "batch_prefill/h=1:1/sq=1/sk=1000000000/d=128",
                                    "batch_prefill/h=2147483647:1/sq=1/sk=1",
                                    "batch_prefill/h=2147483647:2147483647/sq=1/sk=1/d=256/page=1024",
                                    "batch_prefill/h=8:1/sq=100000000/sk=1",
                                    "batch_prefill/h=1:1/b=65536/sq=16384/sk=16384/table=vllm",
                                    "append_prefill/h=64:8/sq=100000000/sk=100000000/d=128",
                                    "sparse_prefill/h=128/n=1048576/pool=9/chunk=9/scale=1");
  CAPTURE(text);
  CaseCommand cases("accuracy");
  cases.selection.cases = {text};
  cases.implementation = "fake_a";
  cases.memory_limit.gib = 64;
  const auto record = outcome_of(cases);
  CHECK(record["outcome"] == "not_run");
  const std::string reason = record["reason"];
  CHECK_THAT(reason, Catch::StartsWith("memory: the case takes about "));
  CHECK_THAT(reason, Catch::Contains("more than the 64.0 GiB that it may take; --memory "));
  const double allowed = std::stod(reason.substr(reason.find("--memory ") + 9));
  CHECK(allowed * gib >= memory_of(resolved(text), {}).total());
  CHECK(record["reproduce"].get<std::string>().ends_with(" --memory 64"));
}

TEST_CASE("the option --memory refuses a small case, too, and allows what it names") {
  const std::string text = "batch_prefill/h=2:1/sq=8/sk=32";
  MemoryLimit limit;
  limit.gib = 1e-6;
  CHECK_THROWS_AS(limit.require(memory_of(resolved(text), {})), NotEnoughMemory);
  limit.gib = 1;
  CHECK_NOTHROW(limit.require(memory_of(resolved(text), {})));
  CHECK(limit.argument() == " --memory 1");
  CHECK(MemoryLimit{}.argument().empty());
}

TEST_CASE("a case folder is refused by the bytes of its files, before an array is read") {
  const TemporaryFolder folder;
  const Problem problem = resolved("batch_prefill/h=2:1/sq=8/sk=3200/d=64");
  const auto path = folder.path() / "case";
  workload::save_case_folder(path, problem, workload::make_tensors(problem), {});
  const double before = workload::read_case_folder_head(path).bytes;
  CHECK(before >= 2 * 3200 * 64 * 2);
  CHECK(memory_of_loaded(problem, before, {}).total() >= 2 * before); // the device's copy
  std::filesystem::resize_file(path / "k_pool.npy", 1 << 30);         // sparse; and no valid array any more
  CaseCommand cases("accuracy");
  cases.implementation = "fake_a";
  cases.folders = {path.string()};
  cases.memory_limit.gib = 1;
  const auto record = outcome_of(cases);
  CHECK(record["outcome"] == "not_run");
  CHECK_THAT(record["reason"].get<std::string>(), Catch::Contains("inputs 1.0"));
  cases.memory_limit.gib = 4;
  CHECK(outcome_of(cases)["outcome"] == "invalid_input");
}

TEST_CASE("the machine's memory is what it has, or less where control groups say so") {
  const TemporaryFolder folder;
  const auto& root = folder.path();
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root / name).parent_path());
    folder.write(name, text);
  };
  CHECK(machine_memory(root) > 1e30); // nothing is known
  write("proc/meminfo", "MemFree:  1 kB\nMemTotal:       16777216 kB\nBuffers: 3 kB\n");
  CHECK(machine_memory(root) == 16 * gib);
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  CHECK(machine_memory(root) == 16 * gib);
  write("sys/fs/cgroup/user/memory.max", "8589934592\n");
  CHECK(machine_memory(root) == 8 * gib);
  write("sys/fs/cgroup/user/job/memory.max", "4294967296\n");
  CHECK(machine_memory(root) == 4 * gib);
  write("proc/self/cgroup", "3:cpu,cpuacct:/x\n5:memory:/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"); // a container sees only its own
  CHECK(machine_memory(root) == 2 * gib);
  CHECK(machine_memory() > 0);
}
