// What is generated for append_prefill, and the calls that its chunk comes in.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/calls.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

using namespace fmha950;

namespace {

struct Case {
  explicit Case(const std::string& keys) : problem(parse_case("append_prefill/" + keys)) {
    workload::resolve_trace(problem);
    tensors = workload::make_tensors(problem);
  }
  int old_tokens(size_t request) const {
    return problem.requests[request].key_length - problem.requests[request].query_length;
  }
  int64_t slot(size_t request, int token) const {
    const int64_t page = page_of(problem, tensors, static_cast<int>(request), token);
    return page * problem.page_size + token % problem.page_size;
  }
  Problem problem;
  Tensors tensors;
};

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::equal(a.data(), a.data() + a.bytes(), b.data());
}

const char* const cases[] = {
    "h=4:2/sq=30,7,0/sk=70,7,20/d=64",
    "h=8:1/sq=100/sk=1200/d=128/q=fp16/page=1024/table=vllm/values=outlier",
    "h=2:2/sq=5,5/sk=5,90/d=128/page=1/mode=batch/values=uneven+pow2",
    "h=4:1/sq=3,64/sk=67,128/d=64/page=64/order=lru/sinklogit=1",
    "h=2:1/trace=toolagent@10+6:64/d=64",
    "h=2:1/trace=conversation@100+5:64/d=64/order=lru/page=32",
};

} // namespace

TEST_CASE("append_prefill's tensors: old tokens quantised, the chunk as it is, NaN where it will lie") {
  for (const char* keys : cases) {
    CAPTURE(keys);
    const Case c(keys);
    const Tensors& t = c.tensors;
    const int64_t row = int64_t{c.problem.kv_heads} * c.problem.head_dim;
    REQUIRE_NOTHROW(validate_problem(c.problem));
    REQUIRE_NOTHROW(validate_tensors(c.problem, t));
    CHECK(t.q_descale.empty());
    const AppendTensors& chunk = append_tensors(t);
    int64_t misplaced = 0, not_poison = 0, next = 0;
    double largest_error = 0;
    std::set<int> poisons;
    for (size_t b = 0; b < c.problem.requests.size(); ++b)
      for (int token = 0; token < c.problem.requests[b].key_length; ++token)
        for (int64_t i = 0; i < row; ++i) {
          const int64_t place = c.slot(b, token) * row + i;
          const float original = t.v_original.as<float>()[place], stored = t.v_pool.value(place);
          if (token < c.old_tokens(b)) {
            const float scale = t.v_descale.as<float>()[0];
            largest_error = std::max(largest_error, std::abs(double(stored) * scale - original) /
                                                        std::max(std::abs(double(original)), 0.02 * scale));
          } else {
            not_poison += !std::isnan(stored) || !std::isnan(t.k_pool.value(place));
            poisons.insert(t.k_pool.as<uint8_t>()[place]);
            misplaced += chunk.k_new.value(next) != t.k_original.as<float>()[place] ||
                         chunk.v_new.value(next) != original;
            ++next;
          }
        }
    CHECK(largest_error <= 1.0 / 16); // half a step of e4m3
    CHECK(misplaced == 0);
    CHECK(not_poison == 0);
    CHECK(poisons == std::set<int>{0x7F, 0xFF});
    CHECK(next == chunk.k_new.elements());
  }
}

TEST_CASE("append_prefill's scales know the old tokens alone, so some of a chunk saturates") {
  const Case c("h=2:1/sq=300/sk=316/d=128");
  float largest = 0;
  for (int token = 0; token < 16; ++token)
    for (int column = 0; column < 128; ++column)
      largest =
          std::max(largest, std::abs(c.tensors.k_original.as<float>()[c.slot(0, token) * 128 + column]));
  CHECK(c.tensors.k_descale.as<float>()[0] == largest / 448);
  const Cache cache = oracle().cache_after(c.problem, c.tensors);
  int beyond = 0;
  const Tensor& k_new = append_tensors(c.tensors).k_new;
  for (int64_t i = 0; i < k_new.elements(); ++i) beyond += std::abs(k_new.value(i)) > largest * 1.05f;
  CHECK(beyond > 0);
  const Case fresh("h=2:1/sq=300/sk=300/d=128"); // no old tokens to know
  CHECK(fresh.tensors.k_descale.as<float>()[0] < 0.02f);
}

TEST_CASE("append_prefill: requests of a trace share pages of old tokens and no others") {
  for (const std::string order : {"shuffled", "sequential", "lru"}) {
    const Case c("h=1:1/trace=toolagent@0+12:16/d=64/order=" + order);
    CAPTURE(order);
    REQUIRE_NOTHROW(validate_tensors(c.problem, c.tensors));
    size_t named = 0;
    for (const Request& request : c.problem.requests) named += c.problem.pages_of(request);
    CHECK(touched_pages(c.problem, c.tensors).size() < named);
  }
}

TEST_CASE("append_prefill: the calls cut each chunk into uneven parts that follow from the seed") {
  const Problem problem = parse_case("append_prefill/h=1:1/sq=400,0,3/sk=500,9,3/d=64/calls=8");
  const auto calls = operators::append_calls(problem);
  REQUIRE(calls.size() == 8);
  std::set<int> lengths;
  int at = 0, short_at = 0;
  for (const operators::AppendCall& call : calls) {
    CHECK(call.problem.calls == 1);
    CHECK(call.first_query == std::vector<int>{at, 0, short_at});
    at += call.problem.requests[0].query_length;
    short_at += call.problem.requests[2].query_length;
    CHECK(call.problem.requests[0].key_length == 100 + at);
    CHECK(call.problem.requests[1] == Request{0, 9});
    lengths.insert(call.problem.requests[0].query_length);
  }
  CHECK(at == 400);
  CHECK(short_at == 3);
  CHECK(lengths.size() > 4);
  Problem other = problem;
  other.seed = 2;
  CHECK(operators::append_calls(other)[0].problem.requests != calls[0].problem.requests);
  other = parse_case("append_prefill/h=1:1/b=3/sq=50/sk=50,60,70/d=64/mode=batch/calls=40");
  for (const operators::AppendCall& call : operators::append_calls(other))
    CHECK_NOTHROW(validate_problem(call.problem));
}

TEST_CASE(
    "append_prefill: the tensors of each call are valid, and all calls together append the whole chunk") {
  for (const char* keys : cases) {
    CAPTURE(keys);
    Case c(keys);
    c.problem.calls = 5;
    Tensors state = c.tensors;
    for (const operators::AppendCall& call : operators::append_calls(c.problem)) {
      const Tensors tensors = operators::tensors_of_call(c.problem, state, call);
      REQUIRE_NOTHROW(validate_problem(call.problem));
      REQUIRE_NOTHROW(validate_tensors(call.problem, tensors));
      const Cache cache = oracle().cache_after(call.problem, tensors);
      state.k_pool = cache.k;
      state.v_pool = cache.v;
    }
    const Cache whole = oracle().cache_after(c.problem, c.tensors);
    CHECK(same_bytes(state.k_pool, whole.k));
    CHECK(same_bytes(state.v_pool, whole.v));
  }
}

TEST_CASE("append_prefill: a case folder holds the chunk, the cache and its scales") {
  const TemporaryFolder folder;
  const Case c("h=4:2/sq=30,7/sk=70,7/d=64/table=vllm/calls=3");
  workload::save_case_folder(folder.path() / "case", c.problem, c.tensors, {});
  const workload::CaseFolder loaded = workload::load_case_folder(folder.path() / "case");
  CHECK(loaded.problem == c.problem);
  for (Tensor Tensors::* member :
       {&Tensors::q, &Tensors::k_pool, &Tensors::v_pool, &Tensors::k_descale, &Tensors::v_descale,
        &Tensors::block_table, &Tensors::seqlen_k, &Tensors::q_indptr})
    CHECK(same_bytes(loaded.tensors.*member, c.tensors.*member));
  for (Tensor AppendTensors::* member :
       {&AppendTensors::k_new, &AppendTensors::v_new, &AppendTensors::call_cuts})
    CHECK(same_bytes(append_tensors(loaded.tensors).*member, append_tensors(c.tensors).*member));
  for (const char* name : {"k_new", "v_new", "k_cache", "v_cache", "k_scale", "v_scale"})
    CHECK(std::filesystem::exists(folder.path() / "case" / (std::string(name) + ".npy")));
  REQUIRE_NOTHROW(validate_tensors(loaded.problem, loaded.tensors));
}

TEST_CASE("append_prefill: a loaded folder makes the calls that were saved, an older one those of its seed") {
  const Case c("h=4:2/sq=300,7/sk=700,7/d=64/calls=6/seed=3");
  CHECK(append_tensors(c.tensors).call_cuts.shape() == std::vector<int64_t>{2, 5});
  const auto requests = [](const Problem& problem, const Tensor& cuts) {
    std::vector<std::vector<Request>> of_call;
    for (const operators::AppendCall& call : operators::append_calls(problem, cuts))
      of_call.push_back(call.problem.requests);
    return of_call;
  };
  const auto saved = requests(c.problem, append_tensors(c.tensors).call_cuts);
  CHECK(saved == requests(c.problem, {})); // those of the seed
  const TemporaryFolder folder;
  const auto path = folder.path() / "case";
  workload::save_case_folder(path, c.problem, c.tensors, {});
  nlohmann::json manifest;
  std::ifstream(path / "manifest.json") >> manifest;
  std::string text = manifest["case"];
  text.replace(text.find("/seed=3"), 7, "/seed=4"); // another seed: the cuts are what they are
  manifest["case"] = text;
  folder.write("case/manifest.json", manifest.dump());
  const workload::CaseFolder loaded = workload::load_case_folder(path);
  CHECK(requests(loaded.problem, append_tensors(loaded.tensors).call_cuts) == saved);
  manifest["tensors"].erase("call_cuts"); // a folder of an older version
  folder.write("case/manifest.json", manifest.dump());
  const workload::CaseFolder older = workload::load_case_folder(path);
  CHECK(append_tensors(older.tensors).call_cuts.empty());
  CHECK(requests(older.problem, append_tensors(older.tensors).call_cuts) != saved);
  CHECK(requests(older.problem, append_tensors(older.tensors).call_cuts) == requests(older.problem, {}));
}
