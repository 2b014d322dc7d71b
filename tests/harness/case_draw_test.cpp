// Problems drawn near a known one: repeatable, valid, small, of its operator, and not all the same.
#include "harness/mutation/case_draw.hpp"
#include "interface/case_keys.hpp"
#include "interface/case_string.hpp"
#include "interface/operator.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;
using harness::CaseDraw;

namespace {

bool any(const Problem&) { return true; }

std::vector<std::string> draws(const std::string& known, uint64_t seed) {
  CaseDraw draw(seed);
  std::vector<std::string> drawn;
  for (int i = 0; i < 60; ++i) drawn.push_back(draw.near(known, any));
  return drawn;
}

} // namespace

TEST_CASE("case draw: the same seed draws the same, another seed others, all of them valid and small") {
  for (const std::string known :
       {"batch_prefill/h=8:1/sq=32/sk=470/d=128/kv=fp8/quant=page/page=16/lse=1",
        "append_prefill/h=2:1/sq=33/sk=357/d=64/q=bf16/page=1/table=vllm/cap=30",
        "sparse_prefill/h=16/n=2/pool=300/chunk=90/kv=bf16/prefix=200,0/extend=63,0/scale=0.05"}) {
    CAPTURE(known);
    const auto drawn = draws(known, 1);
    CHECK(drawn == draws(known, 1));
    CHECK(drawn != draws(known, 2));
    CHECK(std::set<std::string>(drawn.begin(), drawn.end()).size() > 40);
    const Problem parent = parse_case(known);
    std::set<int> lengths;
    for (const std::string& text : drawn) {
      CAPTURE(text);
      const Problem problem = parse_case(text);
      CHECK_NOTHROW(problem.op->check(problem));
      CHECK(print_case(problem) == text);
      CHECK(problem.op == parent.op);
      CHECK(problem.head_dim == parent.head_dim);
      for (const Request& request : problem.requests) {
        CHECK(int64_t{request.query_length} * request.key_length * problem.query_heads <= 1'200'000);
        lengths.insert(request.key_length);
      }
    }
    CHECK(lengths.size() > 10);
  }
}

TEST_CASE("case draw: only what is wanted, and the known problem where nothing is") {
  const std::string known = "batch_prefill/h=2:1/sq=33/sk=65/d=128/page=1";
  CaseDraw draw(1);
  const auto even = [](const Problem& problem) { return problem.max_key_length() % 2 == 0; };
  for (int i = 0; i < 40; ++i) CHECK(even(parse_case(draw.near(known, even))));
  CHECK(draw.near(known, [](const Problem&) { return false; }) == known);
}

TEST_CASE("case draw: a key reads every word that is drawn for it") {
  int drawn_keys = 0;
  for (const Operator* op : all_operators())
    for (const case_keys::Key& key : op->facts().keys.keys) {
      if (key.drawn == nullptr) continue;
      ++drawn_keys;
      CHECK(key.drawn().size() > 1);
      for (const std::string_view word : key.drawn()) {
        CAPTURE(op->name(), key.name, word);
        case_keys::Draft draft;
        CHECK((word.empty() || key.read(word, draft)));
      }
    }
  CHECK(drawn_keys > 20);
}
