// Draft trees on the last queries and keys, which begin and end at every place of tiles and pages.
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

struct TreeCase {
  const char* name;
  const char* reason;
  int nodes;
  std::optional<Window> window;
  int sink_tokens;
  std::vector<Request> requests;
};

const std::vector<TreeCase> tree_cases = {
    {"verify",
     "all queries are nodes: a node sees a branch that is not its own, or the row of another node",
     64,
     {},
     0,
     {{64, 64}, {64, 65}, {64, 127}, {64, 128}, {64, 160}, {0, 30}, {64, 230}}},
    {"short",
     "fewer queries or keys than nodes: the tree begins at the wrong key",
     48,
     {},
     0,
     {{8, 70}, {1, 64}, {33, 97}, {47, 64}, {60, 20}, {5, 0}, {48, 300}}},
    {"prefill",
     "queries before the tree: they take rows of it, or its queries do not",
     24,
     {},
     0,
     {{70, 70}, {70, 133}, {130, 197}, {25, 89}, {24, 152}, {100, 100}}},
    {"window",
     "a tree beside a window and sinks: what one hides the other shows",
     32,
     Window{40, 0},
     70,
     {{32, 600}, {32, 96}, {70, 133}, {20, 212}, {40, 64}, {32, 31}}},
};

} // namespace

std::vector<Probe> trees() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.quantisation == Quantisation::mx) continue; // no implementation takes both
    for (const TreeCase& of : tree_cases) {
      Problem problem = small_problem(form, of.requests);
      problem.tree_nodes = of.nodes;
      problem.window = of.window;
      problem.sink_tokens = of.sink_tokens;
      probes.push_back(small_probe(fmt::format("tree/{}/{}", of.name, text_of(form)), of.reason, problem,
                                   ValuesOfPage::random));
    }
  }
  return probes;
}

} // namespace fmha950::harness
