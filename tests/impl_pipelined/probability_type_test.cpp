// How pipelined declares that it rounds P is what its machine code does.
#include "tests/support/probability_type.hpp"

#include "tests/support/catch.hpp"
#include <stdexcept>

using namespace fmha950::test;

TEST_CASE("P is rounded to what the plan declares") {
  check_probability_types(
      {
          {"pipelined", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor/page=64"},
          {"pipelined", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
          {"pipelined", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor/page=1/cap=30"},
          {"pipelined_x16", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor/page=64"},
          {"pipelined_x16", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
          {"pipelined_direct_p", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=tensor/page=64"},
          {"pipelined_direct_p", "batch_prefill/h=2:1/sq=8/sk=128/q=fp8/kv=fp8/quant=page/page=64"},
      },
      {"pipelined"});
}

TEST_CASE("what multiplies V is told from what multiplies K by what the loop carries") {
  const auto loop = [](const std::vector<std::string>& texts) {
    MachineCode code;
    for (const std::string& text : texts) code.push_back({4 * code.size(), text, 0});
    return code;
  };
  const std::string scores = "v_mfma_f32_32x32x16_bf16 v[0:15], v[32:35], v[36:39], 0";
  const std::string more_scores = "v_mfma_f32_32x32x16_bf16 v[0:15], v[40:43], v[44:47], v[0:15]";
  const std::string rescale = "v_pk_mul_f32 v[16:17], v[16:17], v[50:51]";
  const std::string values = "v_mfma_f32_32x32x16_fp8_fp8 v[16:31], v[52:53], v[54:55], v[16:31]";
  using Types = std::set<fmha950::ElementType>;
  CHECK(types_of_p(loop({scores, more_scores, rescale, values})) == Types{fmha950::ElementType::fp8});
  // S whose sum begins with registers that hold 0 throughout.
  const std::string from_zeros = "v_mfma_f32_32x32x16_bf16 v[0:15], v[32:35], v[36:39], v[64:79]";
  CHECK(types_of_p(loop({from_zeros, values})) == Types{fmha950::ElementType::fp8});
  CHECK(types_of_p(loop({scores})).empty());
  // E5M2 is no type that a P has here.
  CHECK_THROWS_AS(types_of_p(loop({"v_mfma_f32_32x32x64_f8f6f4 v[16:31], v[0:7], v[8:15], v[16:31] cbsz:1"})),
                  std::invalid_argument);
}
