// Malformed problems and tensors of merge, each with the exact text of its refusal.
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/generate.hpp"
#include "workload/validate_values.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <functional>

using namespace fmha950;

namespace {

using enum ElementType;

constexpr const char* head = "merge/parts=3/h=2/n=5/d=16/lse=1";

std::string refusal(const std::function<void()>& refused) {
  try {
    refused();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

struct MalformedText {
  const char *text, *error;
};

const MalformedText malformed_texts[] = {
    {"merge/parts=0/h=2/n=5", "parts = 0: must be a number of parts from 1 to 1024"},
    {"merge/parts=1025/h=2/n=5", "parts = 1025: must be a number of parts from 1 to 1024"},
    {"merge/parts=2/h=0/n=5", "h = 0: must be H, a number of heads of at least 1"},
    {"merge/parts=2/h=2:1/n=5", "h = 2:1: must be H, a number of heads of at least 1"},
    {"merge/parts=2/h=2/n=-1", "n = -1: must be a number of tokens from 0 to 1048576"},
    {"merge/parts=2/h=2/n=5/in=fp8", "in = fp8: must be one of bf16, fp16, fp32"},
    {"merge/parts=2/h=2/n=5/o=fp8", "o = fp8: must be one of bf16, fp16, fp32"},
    {"merge/parts=2/h=2/n=5/layout=linear", "layout = linear: must be one of parts, tokens, heads"},
    {"merge/parts=2/h=2/n=5/base=10", "base = 10: must be e or 2"},
    {"merge/parts=2/h=2/n=5/spread=-1", "spread = -1: must be a number from 0 to 10000"},
    {"merge/parts=2/h=2/n=5/empty=101", "empty = 101: must be a percentage of parts from 0 to 100"},
};

struct MalformedProblem {
  std::function<void(Problem&)> spoil;
  const char* error;
};

const MalformedProblem malformed_problems[] = {
    {[](Problem& p) { p.own = {}; }, "parts = absent: must be given for merge"},
    {[](Problem& p) { merge_form(p)->parts = 0; }, "parts = 0: must be from 1 to 1024"},
    {[](Problem& p) { p.query_heads = p.kv_heads = 0; }, "h = 0: must be at least 1"},
    {[](Problem& p) { p.kv_heads = 1; }, "h = 2:1: each head must have parts of its own"},
    {[](Problem& p) { p.requests.clear(); },
     "requests = none: must be one, of all tokens, with parts as its keys"},
    {[](Problem& p) { p.requests[0].key_length = 2; },
     "requests = 5:2: must be one, of all tokens, with parts as its keys"},
    {[](Problem& p) { p.requests[0].query_length = -1; }, "n = -1: must be from 0 to 1048576 tokens"},
    {[](Problem& p) { p.requests[0].query_length = 1 << 20, p.query_heads = p.kv_heads = 1024; },
     "parts = 3: must have less than 2^31 partial rows, parts * n * h"},
    {[](Problem& p) { p.head_dim = 0; }, "d = 0: must be at least 1"},
    {[](Problem& p) { p.kv_type = fp8; }, "in = fp8: must be bf16, fp16 or fp32, and Q's type"},
    {[](Problem& p) { p.query_type = bf16; }, "in = fp32: must be bf16, fp16 or fp32, and Q's type"},
    {[](Problem& p) { p.output_type = int32; }, "o = int32: must be bf16, fp16 or fp32"},
    {[](Problem& p) { merge_form(p)->spread = NAN; }, "spread = nan: must be from 0 to 10000"},
    {[](Problem& p) { merge_form(p)->empty_percent = -1; }, "empty = -1: must be from 0 to 100 percent"},
    {[](Problem& p) { p.values = "count"; },
     "values = count: must be normal, outlier, negative_zero or uneven: there are neither queries nor keys"},
    {[](Problem& p) { p.scale.reset(); }, "scale = absent: must be 1, scores are LSEs"},
    {[](Problem& p) { p.scale = 0.5f; }, "scale = 0.5: must be 1, scores are LSEs"},
    // what only operators with keys have
    {[](Problem& p) { p.causal = true; }, "causal = 1: must be absent, merge has none"},
    {[](Problem& p) { p.window = Window{3, 0}; }, "window = 3:0: must be absent, merge has none"},
    {[](Problem& p) { p.sink_logit = true; }, "sinklogit = 1: must be absent, merge has none"},
    {[](Problem& p) { p.page_size = 64; }, "page = 64: must be absent, merge has none"},
    {[](Problem& p) { p.quantisation = Quantisation::mx; }, "quant = mx: must be absent, merge has none"},
    {[](Problem& p) { p.calls = 2; },
     "calls = 2: must be absent, only append_prefill comes in several calls"},
};

struct MalformedTensors {
  const char* text;
  std::function<void(MergeTensors&)> spoil;
  const char* error;
};

const MalformedTensors malformed_tensors[] = {
    {head, [](MergeTensors& t) { t.partial_output = {}; },
     "partial_output = fp32 []: must be fp32 [3, 5, 2, 16]"},
    {head, [](MergeTensors& t) { t.partial_output = Tensor(bf16, {3, 5, 2, 16}); },
     "partial_output = bf16 [3, 5, 2, 16]: must be fp32 [3, 5, 2, 16]"},
    {head, [](MergeTensors& t) { t.partial_lse = Tensor(fp32, {3, 5, 1}); },
     "partial_lse = fp32 [3, 5, 1]: must be fp32 [3, 5, 2]"},
    {head, [](MergeTensors& t) { t.partial_lse = Tensor(fp32, {3, 2, 5}); },
     "partial_lse = fp32 [3, 2, 5]: must be fp32 [3, 5, 2]"},
    {"merge/parts=3/h=2/n=5/d=16/layout=heads",
     [](MergeTensors& t) { t.partial_lse = Tensor(fp32, {3, 5, 2}); },
     "partial_lse = fp32 [3, 5, 2]: must be fp32 [3, 2, 5]"},
    {"merge/parts=3/h=2/n=5/d=16/layout=tokens",
     [](MergeTensors& t) { t.partial_output = Tensor(fp32, {3, 5, 2, 16}); },
     "partial_output = fp32 [3, 5, 2, 16]: must be fp32 [5, 3, 2, 16]"},
};

} // namespace

TEST_CASE("merge: malformed case strings are refused, by key, value and what would be right") {
  for (const auto& [text, error] : malformed_texts)
    CHECK_THAT(refusal([&] { parse_case(text); }), Catch::Contains(error));
  for (const char* missing : {"merge/h=2/n=5", "merge/parts=2/n=5", "merge/parts=2/h=2"})
    CHECK_THAT(refusal([&] { parse_case(missing); }), Catch::Contains("is missing"));
  CHECK_THAT(refusal([&] { parse_case("merge/parts=2/h=2/n=5/sk=7"); }), Catch::Contains("sk"));
}

TEST_CASE("merge: malformed problems are refused") {
  const Problem right = parse_case(head);
  validate_problem(right);
  for (const auto& [spoil, error] : malformed_problems) {
    Problem problem = right;
    spoil(problem);
    CHECK(refusal([&] { validate_problem(problem); }) == error);
  }
}

TEST_CASE("merge: its form is refused in a problem of another operator") {
  Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=1");
  problem.own.emplace<MergeForm>().parts = 7;
  CHECK(refusal([&] { validate_problem(problem); }) ==
        "parts = 7: must be absent, only merge has partial results");
}

TEST_CASE("merge: tensors of other shapes and types are refused") {
  for (const auto& [text, spoil, error] : malformed_tensors) {
    CAPTURE(text);
    const Problem problem = parse_case(text);
    Tensors tensors = workload::make_tensors(problem);
    validate_tensors(problem, tensors);
    spoil(merge_tensors(tensors));
    CHECK_THAT(refusal([&] { validate_tensors(problem, tensors); }), Catch::Contains(error));
  }
}

TEST_CASE("merge: values that are read must be numbers, and those of empty parts are not read") {
  const Problem problem = parse_case("merge/parts=3/h=2/n=5/d=16/layout=heads/empty=30");
  const auto spoiled = [&](const std::function<void(MergeTensors&)>& spoil) {
    Tensors tensors = workload::make_tensors(problem);
    spoil(merge_tensors(tensors));
    return refusal([&] { workload::validate_values(problem, tensors); });
  };
  CHECK(spoiled([](MergeTensors&) {}) == "");
  const int64_t lse = lse_strides(problem).at(1, 4, 1), row = output_strides(problem).at(1, 4, 1) * 16;
  CHECK(lse == 1 * 10 + 1 * 5 + 4);
  CHECK(spoiled([&](MergeTensors& t) { t.partial_lse.as<float>()[lse] = NAN; }) ==
        "partial_lse of part 1, token 4, head 1 = nan: must be a number, or infinite for an empty part");
  const auto infinite_output = [&](MergeTensors& t) { t.partial_output.as<float>()[row + 3] = INFINITY; };
  CHECK_THAT(spoiled([&](MergeTensors& t) {
               t.partial_lse.as<float>()[lse] = 1;
               std::memset(&t.partial_output.as<float>()[row], 0, 64);
               infinite_output(t);
             }),
             Catch::StartsWith("partial_output of part 1, token 4, head 1, column 3 = inf"));
  for (const float empty : {-INFINITY, INFINITY})
    CHECK(spoiled([&](MergeTensors& t) {
            t.partial_lse.as<float>()[lse] = empty;
            infinite_output(t);
          }) == "");
}
