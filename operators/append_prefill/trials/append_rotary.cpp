// The rotary embedding of append_prefill: both kinds of pairs, whole heads and parts of them, positions of all sorts.
#include "interface/operator.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/append_prefill/trials/append_form.hpp"
#include "operators/append_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

Probe rotary_probe(std::string name, std::string reason, const Problem& problem, bool scattered) {
  return {.name = std::move(name), .reason = std::move(reason), .problem = problem, .make = [=] {
            Tensors tensors = problem.op->make(problem);
            if (!scattered) return tensors;
            AppendTensors& own = append_tensors(tensors);
            const int64_t rows = own.cos_sin_cache.shape()[0];
            int64_t next = 5;
            for (int32_t& position : own.positions.as<int32_t>()) {
              position = static_cast<int32_t>(next % rows);
              next += 37;
            }
            return tensors;
          }};
}

} // namespace

std::vector<Probe> append_rotary() {
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms())
    for (const RotaryPairs pairs : {RotaryPairs::half, RotaryPairs::interleaved})
      for (const int rotated : {pairs == RotaryPairs::half ? form.head_dim / 2 : 16, form.head_dim}) {
        // The chunk begins on and off a tile's boundary, without old tokens, and is longer than a tile.
        Problem problem = append_problem(form, {{70, 133}, {5, 8}, {33, 261}, {1, 65}, {150, 150}, {0, 3}});
        problem.own = RotaryEmbedding{pairs, rotated};
        const auto add = [&](const char* family, const char* reason, bool scattered) {
          probes.push_back(rotary_probe(
              fmt::format("append_rotary/{}/{}/{}", family, rotary_embedding(problem)->text(), text_of(form)),
              reason, problem, scattered));
        };
        add("positions",
            "Q or K turns by the wrong angle, or columns behind those that are rotated do, or V, or old "
            "tokens",
            false);
        if (rotated == form.head_dim) continue;
        add("scattered", "positions are taken to follow from the lengths", true);
        problem.window = Window{40, 0};
        problem.sink_tokens = 70;
        add("window", "sinks, or a window's first keys, are of the chunk: taken as if they were rotated",
            false);
      }
  return probes;
}

} // namespace fmha950::harness
