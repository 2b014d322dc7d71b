// `accuracy --kernel-inputs`: judged by a case's own tensors, run with those of another folder.
#include "fake_implementation.hpp"
#include "harness/accuracy/accuracy_case.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr const char* paged =
    "batch_prefill/h=4:2/sq=40/sk=300,1000/q=fp8/kv=fp8/quant=page/page=64/causal=1";

void save(const std::string& text, const std::filesystem::path& folder) {
  const Problem problem = parse_case(text);
  workload::save_case_folder(folder, problem, workload::make_tensors(problem), {});
}

Record judged(const std::string& text, const std::filesystem::path& kernel_inputs) {
  fake::reset_behaviours();
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  CaseOracle oracle(problem, tensors);
  Record record;
  AccuracyOptions options;
  options.kernel_inputs = kernel_inputs.string();
  judge_case(find_implementation("fake_a"), problem, tensors, options, oracle, record);
  return record;
}

} // namespace

TEST_CASE("kernel inputs: the same ones pass, a page's descale made wrong is named with its keys") {
  const TemporaryFolder folder;
  const auto right = folder.path() / "right", wrong = folder.path() / "wrong";
  save(paged, right);
  CHECK(judged(paged, right).outcome.kind() == OutcomeKind::passed);

  const Finished made = analysis("wrong_descale.py " + quoted(right) + " " + quoted(wrong) +
                                 " --request 1 --key 700 --kv-head 1 --factor 1.25");
  INFO(made.output);
  REQUIRE(made.status == 0);
  const Record record = judged(paged, wrong);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK_THAT(record.outcome.reason(), Catch::Contains("audit: keys 640-703 (page ") &&
                                          Catch::Contains("of request 1, KV head 1): V weighs 1.2"));
}

TEST_CASE("kernel inputs: a folder of another problem, and append_prefill, are refused") {
  const TemporaryFolder folder;
  const auto other = folder.path() / "other";
  save("batch_prefill/h=4:2/sq=40/sk=300,999/q=fp8/kv=fp8/quant=page/page=64/causal=1", other);
  CHECK_THROWS_WITH(judged(paged, other), Catch::Contains("kernel-inputs") && Catch::Contains("sk=300,999") &&
                                              Catch::Contains("must be of") &&
                                              Catch::Contains("sk=300,1000"));
  CHECK_THROWS_WITH(judged("append_prefill/h=2:1/sq=4/sk=20", other),
                    Catch::Contains("append_prefill writes to its inputs"));
}

TEST_CASE("wrong_descale.py: what there is no descale of is refused") {
  const TemporaryFolder folder;
  const auto right = folder.path() / "right", per_tensor = folder.path() / "tensor",
             wrong = folder.path() / "wrong";
  save(paged, right);
  save("batch_prefill/h=4:2/sq=4/sk=30/q=fp8/kv=fp8/quant=tensor", per_tensor);
  const auto refusal = [&](const std::filesystem::path& from, const std::string& arguments) {
    const Finished finished =
        analysis("wrong_descale.py " + quoted(from) + " " + quoted(wrong) + " --factor 2 " + arguments);
    CHECK(finished.status != 0);
    return finished.output;
  };
  CHECK_THAT(refusal(right, "--key 300"), Catch::Contains("--key 300: request 0 has 300 keys"));
  CHECK_THAT(refusal(right, "--key 0 --request 2"), Catch::Contains("--request 2: the case has 2"));
  CHECK_THAT(refusal(right, "--key 0 --kv-head 2"), Catch::Contains("--kv-head 2: the case has 2"));
  CHECK_THAT(refusal(per_tensor, "--key 0"), Catch::Contains("the case needs quant=page"));
}
