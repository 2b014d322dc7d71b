#include "harness/report/demo_table.hpp"

#include "tests/harness/printed.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Record judged(const std::string& case_string, const std::string& implementation, double rmse) {
  Record record;
  record.case_string = case_string;
  record.requested = record.resolved = implementation;
  record.outcome = Outcome::passed();
  Verdict& verdict = record.accuracy.emplace().verdict;
  verdict.kernel.rmse = rmse;
  verdict.kernel.count = 1;
  verdict.limits = {{"rmse", rmse, 4, ""}};
  return record;
}

std::string shown(const std::vector<Record>& records) {
  return text_of_file([&](std::FILE* file) {
    DemoTable table(file);
    for (const Record& record : records) table.print(record);
    table.close();
  });
}

const std::string first = "batch_prefill/h=8:1/trace=tool@100+16:16/d=128/q=fp8/kv=fp8/quant=mx/causal=1";
const std::string second = "sparse_prefill/h=64/n=16/pool=1024/kv=fp8/format=packed";

} // namespace

TEST_CASE("demo's table: a line for each case, with who is closest and who is farthest") {
  const std::string text =
      shown({judged(first, "b", 2), judged(first, "a", 1), judged(first, "c", 3), judged(second, "only", 1)});
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK_THAT(text,
             Catch::Contains("tool, fp8, mx                 3 passed        - a              1.00e+00 c "
                             "             3.00e+00     75 %\n"));
  CHECK_THAT(text,
             Catch::Contains("sparse_prefill, fp8, packed   1 passed        - only           1.00e+00 only "
                             "          1.00e+00     25 %\n"));
}

TEST_CASE("demo's table: what failed is counted, and a case without any figure has none") {
  Record wrong = judged(first, "b", 2), lost = judged(second, "b", 2);
  wrong.outcome = Outcome::failed(OutcomeKind::inaccurate, "rmse");
  lost.outcome = Outcome::failed(OutcomeKind::not_run, "out of memory");
  lost.accuracy.reset();
  const std::string text = shown({judged(first, "a", 1), wrong, lost});
  CHECK_THAT(text, Catch::Contains("tool, fp8, mx                 1 failed        - a "));
  CHECK_THAT(text,
             Catch::Contains("sparse_prefill, fp8, packed   1 failed        - -                     - -"));
}

TEST_CASE("demo's table: short names of cases") {
  CHECK(short_name(first) == "tool, fp8, mx");
  CHECK(short_name("batch_prefill/h=8:1/trace=tool@1+2:3/d=128/causal=1") == "tool, bf16");
  CHECK(short_name("sparse_prefill/h=64/n=16") == "sparse_prefill, bf16");
}
