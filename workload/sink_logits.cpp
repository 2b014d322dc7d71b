#include "workload/sink_logits.hpp"

#include "workload/value_source.hpp"

#include <cmath>

namespace fmha950::workload {

Tensor make_sink_logits(const Problem& problem) {
  Tensor sinks(ElementType::fp32, {problem.query_heads});
  fill_normal(sinks.as<float>(), problem.seed, {Stream::sink_logit, 0, 0, 0});
  const auto level = std::log(static_cast<float>(problem.max_key_length()) + 1);
  for (float& x : sinks.as<float>()) x += level;
  return sinks;
}

} // namespace fmha950::workload
