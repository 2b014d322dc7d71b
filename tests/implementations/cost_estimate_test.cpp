// `auto` goes by estimates: they follow the cycle model, and so does what is chosen.
#include "attention/host/cost_estimate.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/perf/clock_law.hpp"
#include "harness/perf/model_run.hpp"
#include "harness/perf/modelled_time.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace fmha950;
using harness::Dispatch;

namespace {

const std::string tensor = "/q=fp8/kv=fp8/quant=tensor", pages = "/q=fp8/kv=fp8/quant=page/page=64";

Dispatch choice(const std::string& text) {
  return harness::dispatch("auto", parse_case("batch_prefill/" + text)).front();
}

std::string chosen(const std::string& text) {
  const Dispatch found = choice(text);
  return found.implementation != nullptr ? std::string(found.implementation->name()) : "";
}

} // namespace

TEST_CASE("the estimate's law of the clock is that of modelled figures") {
  CHECK(attention::idle_nanoseconds == harness::clock_law.idle);
}

TEST_CASE("auto: fused where requests in decoding fill the GPU, pipelined where keys are split "
          "and where rows fill its tiles") {
  CHECK(chosen("h=32:4/b=64/sq=1/sk=8192" + tensor) == "fused");
  CHECK(chosen("h=64:8/b=64/sq=1/sk=1024" + tensor) == "fused");
  CHECK(chosen("h=64:8/b=64/sq=1/sk=1024" + pages) == "fused");
  CHECK(chosen("h=8:1/b=64/sq=1/sk=8192" + tensor) == "pipelined");
  CHECK(chosen("h=8:1/sq=1/sk=16384" + tensor) == "pipelined");
  CHECK(chosen("h=64:8/sq=4096/sk=4096" + tensor) == "pipelined");
  CHECK(chosen("h=64:8/sq=4096/sk=4096" + pages) == "pipelined");
}

TEST_CASE("auto never chooses what does not support a case, nor what rounds more, however fast") {
  const std::string decoding = "h=32:4/b=64/sq=1/sk=8192";
  CHECK(chosen(decoding + tensor + "/window=100:0") == "baseline");
  CHECK(chosen(decoding + tensor + "/cap=30") == "pipelined"); // by rank: no estimate
  CHECK(chosen(decoding + "/q=fp8/kv=fp8/quant=page/page=16") == "baseline");
  CHECK(chosen(decoding + "/q=fp8/kv=fp8/quant=mx/page=32") == "fused");
  CHECK(chosen(decoding + "/cap=30/d=64") == "baseline");
  CHECK(chosen(decoding + "/kv=fp8/quant=mx/page=32") == "prepass");
  for (const std::string& lengths : {"sq=1/sk=64", "b=256/sq=1/sk=8192", "sq=4096/sk=4096"})
    for (const char* form : {"", "/window=64:0", "/causal=1", "/lse=1", "/page=1024", "/paged=0"}) {
      CAPTURE(lengths, form);
      const Dispatch found = choice("h=8:2/" + lengths + tensor + form);
      REQUIRE(found.implementation != nullptr);
      CHECK(found.implementation->rank(parse_case("batch_prefill/h=8:2/" + lengths + tensor + form)) <
            Rank::others);
    }
}

TEST_CASE("auto of 16-bit queries: baseline in decoding, prepass where rows are many and of 192 columns, "
          "none of FP8's others") {
  const std::string decoding = "h=32:4/b=64/sq=1/sk=2048", prefill = "h=64:8/sq=4096/sk=4096",
                    mla = "h=16:16/sq=4096/sk=4096/d=192:128";
  for (const char* types : {"", "/kv=fp8/quant=tensor", "/kv=fp8/quant=page/page=64"}) {
    CAPTURE(types);
    CHECK(chosen(decoding + types) == "baseline");
    CHECK(chosen(prefill + types) == "prepass");
    CHECK(chosen(mla + types) == "prepass");
    CHECK(chosen(prefill + types + "/deterministic=1") == "baseline");
  }
  CHECK(chosen(decoding + "/q=fp16/kv=fp16/o=fp16") == "baseline");
  CHECK(chosen(prefill + "/q=fp16/kv=fp16/o=fp16") == "prepass");
  CHECK(chosen(prefill + "/q=fp16/kv=fp8/o=fp16/quant=tensor") == "baseline"); // prepass has it not
  CHECK(chosen(prefill + "/window=1000:0") == "baseline");                     // no estimate
  CHECK(chosen(mla + "/q=fp8/kv=fp8/quant=tensor") == "baseline");
}

TEST_CASE("with deterministic=1 auto chooses the same whatever is in the batch") {
  for (const std::string& form : {tensor, pages}) {
    std::map<std::string, int> found;
    for (const char* batch :
         {"sq=1/sk=8192", "b=64/sq=1/sk=8192", "b=300/sq=1/sk=100", "sq=1,4096,3/sk=8192,4096,9"})
      ++found[chosen(fmt::format("h=32:4/{}{}/deterministic=1", batch, form))];
    CHECK(found == std::map<std::string, int>{{"pipelined", 4}});
  }
  // Else lengths do decide.
  CHECK(chosen("h=32:4/sq=1/sk=8192" + tensor) != chosen("h=32:4/b=64/sq=1/sk=8192" + tensor));
}

namespace {

// Decoding, chunks and prefills, from a few workgroups to several for each compute unit, in each form that has an estimate.
std::vector<std::string> modelled_cases() {
  std::vector<std::string> cases;
  for (const char* shape : {
           "h=8:1/sq=1/sk=16384",
           "h=8:1/b=40/sq=1/sk=3000",
           "h=8:1/b=256/sq=1/sk=1024",
           "h=32:4/b=64/sq=1/sk=2048",
           "h=64:8/b=64/sq=1/sk=1024",
           "h=16:16/b=16/sq=1/sk=1024",
           "h=8:1/b=24/sq=32/sk=3000/causal=1",
           "h=8:1/b=32/sq=128/sk=2048/causal=1",
           "h=32:4/b=6/sq=200/sk=1200/causal=1",
           "h=6:1/sq=1024/sk=1024/causal=1",
           "h=8:1/sq=4096/sk=4096/causal=1",
           "h=32:8/b=2/sq=1024/sk=1024/causal=1",
           "h=64:8/sq=2048/sk=4096",
           "h=8:1/sq=1,1,1,512/sk=4096,300,2000,4096/causal=1",
       })
    for (const std::string& form : {tensor, pages}) cases.push_back(shape + form);
  for (const char* shape : {"h=32:4/b=64/sq=1/sk=8192", "h=64:8/b=64/sq=1/sk=8192", "h=4:2/sq=1/sk=64",
                            "h=8:1/sq=200/sk=300/causal=1", "h=2:1/sq=40/sk=512"})
    cases.push_back(shape + tensor);
  for (const char* form : {"/page=64", "/page=1024", "/paged=0"})
    cases.push_back("h=32:8/b=2/sq=1024/sk=1024/causal=1" + tensor + form);
  cases.push_back("h=32:8/b=2/sq=1024/sk=1024/causal=1/q=fp8/kv=fp8/quant=page/page=1024");
  for (const char* shape :
       {"h=8:1/sq=1/sk=16384", "h=8:1/b=40/sq=1/sk=3000", "h=32:4/b=32/sq=1/sk=2048",
        "h=6:1/sq=1024/sk=1024/causal=1", "h=32:4/b=6/sq=200/sk=1200/causal=1",
        "h=8:1/sq=4096/sk=4096/causal=1", "h=64:8/sq=2048/sk=4096", "h=16:16/b=16/sq=1/sk=1024/d=192:128",
        "h=16:16/b=4/sq=500/sk=1500/d=192:128/causal=1", "h=128:128/sq=512/sk=512/d=192:128/causal=1",
        "h=32:32/sq=1024/sk=4096/d=192:128/causal=1"})
    for (const char* types : {"", "/kv=fp8/quant=tensor", "/kv=fp8/quant=page/page=64"})
      cases.push_back(std::string(shape) + types);
  return cases;
}

double modelled_seconds(const Implementation& implementation, const Problem& problem,
                        const Tensors& tensors) {
  harness::ModelOptions options;
  options.samples = 2;
  options.no_interval = true;
  return seconds_of(harness::model_case(implementation, problem, tensors, options)).best;
}

} // namespace

TEST_CASE("estimates follow the cycle model, and auto chooses nearly the fastest", "[slow]") {
  const std::string text = GENERATE(from_range(modelled_cases()));
  const Problem problem = parse_case("batch_prefill/" + text);
  const Tensors tensors = workload::make_tensors(problem);
  double fastest = 0, of_chosen = 0;
  for (const auto& implementation : implementations()) {
    if (!implementation->supports(problem)) continue;
    const auto estimated = implementation->estimated_seconds(problem);
    if (!estimated) continue;
    const double modelled = modelled_seconds(*implementation, problem, tensors);
    const double ratio = *estimated / modelled;
    fmt::print("{} {}: estimated {:.1f} us, modelled {:.1f} us, ratio {:.3f}\n", text, implementation->name(),
               *estimated * 1e6, modelled * 1e6, ratio);
    CAPTURE(text, implementation->name(), ratio);
    CHECK(ratio > 0.88);
    CHECK(ratio < 1.12);
    fastest = fastest == 0 ? modelled : std::min(fastest, modelled);
    if (implementation->name() == chosen(text)) of_chosen = modelled;
  }
  CAPTURE(text, chosen(text), fastest, of_chosen);
  CHECK(of_chosen > 0);
  CHECK(of_chosen <= 1.05 * fastest);
}
