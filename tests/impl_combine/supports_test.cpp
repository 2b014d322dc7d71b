// combine says no with the first reason, in words.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("problems that combine refuses, and why") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({
      {"merge/parts=2/h=1/n=1/d=100",
       "head_dim 100: a lane has eight columns, and a wave a row: multiples of 8 up to 512"},
      {"merge/parts=2/h=1/n=1/d=520",
       "head_dim 520: a lane has eight columns, and a wave a row: multiples of 8 up to 512"},
      {"merge/parts=2/h=1/n=1/in=bf16/o=fp32",
       "fp32 output of bf16 parts: the type of 16-bit parts is that of the output"},
      {"merge/parts=2/h=1/n=1/in=bf16/o=fp16",
       "fp16 output of bf16 parts: the type of 16-bit parts is that of the output"},
      {"batch_prefill/h=1:1/sq=1/sk=1/d=128", "operator batch_prefill: only merge"},
  }));
  CAPTURE(text);
  const Support support = find_implementation("combine").supports(parse_case(text));
  CHECK_FALSE(support.yes);
  CHECK(support.why_not == reason);
}

TEST_CASE("problems that combine takes") {
  for (const char* text :
       {"merge/parts=1/h=1/n=0/d=8", "merge/parts=1024/h=100/n=7/d=512/o=fp32/lse=1/base=2/layout=heads",
        "merge/parts=2/h=3/n=1/d=192/in=fp16/o=fp16/layout=tokens"})
    CHECK(find_implementation("combine").supports(parse_case(text)).yes);
  CHECK_FALSE(find_implementation("baseline").supports(parse_case("merge/parts=2/h=1/n=1")).yes);
}
