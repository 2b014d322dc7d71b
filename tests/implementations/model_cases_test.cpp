// Which implementations take the cases of published models (`list --models`).
#include "harness/cases/model_cases.hpp"

#include "tests/support/catch.hpp"

using Catch::Contains;

TEST_CASE("GPT-OSS with an FP8 cache under bf16 queries, window and sink logit is a case of baseline") {
  CHECK_THAT(fmha950::harness::model_case_table(),
             Contains("batch_prefill/h=64:8/sq=512/sk=8192/d=64/kv=fp8/quant=tensor/causal=1/window=127:0/"
                      "sinklogit=1/lse=1\n    baseline\n"));
}

TEST_CASE("DeepSeek-V3's prefill is a case of baseline and prepass") {
  CHECK_THAT(
      fmha950::harness::model_case_table(),
      Contains("DeepSeek-V3 (MHA prefill)\n  batch_prefill/h=128:128/sq=2048/sk=2048/d=192:128/causal=1/"
               "lse=1\n    baseline, prepass\n"));
}
