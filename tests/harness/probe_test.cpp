// Each family of probes passes a right implementation and fails one that makes its mistake.
#include "fake_implementation.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "workload/validate_values.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

fake::Behaviour& fresh() {
  fake::reset_behaviours();
  return fake::behaviour("fake_a");
}

std::optional<ProbeFailure> first_failure_of(const std::string& filter) {
  return first_failure(find_implementation("fake_a"), select_probes(all_probes(), filter), {});
}

Tensor copy(const Tensor& tensor) {
  Tensor out(tensor.type(), tensor.shape());
  std::copy(tensor.data(), tensor.data() + tensor.bytes(), out.data());
  return out;
}

// Another table, entry by entry.
std::function<Tensors(const Tensors&)> with_pages(std::function<int32_t(int32_t page, size_t entry)> change) {
  return [=](const Tensors& tensors) {
    Tensors wrong = tensors;
    for (Tensor Tensors::* table : {&Tensors::kv_page_indices, &Tensors::block_table}) {
      wrong.*table = copy(tensors.*table);
      auto ids = (wrong.*table).as<int32_t>();
      for (size_t i = 0; i < ids.size(); ++i) ids[i] = change(ids[i], i);
    }
    return wrong;
  };
}

} // namespace

TEST_CASE("every probe has a name of its own, a reason and valid tensors") {
  std::set<std::string> names;
  std::set<std::string> families;
  for (const Probe& probe : all_probes()) {
    CAPTURE(probe.name);
    CHECK(names.insert(probe.name).second);
    CHECK_FALSE(probe.reason.empty());
    // One of each family and form of table, not the pools of 5 GB: those are valid where they run.
    const std::string family = probe.name.substr(0, probe.name.find('/'));
    if (!families.insert(family + (probe.problem.page_table == PageTable::vllm ? "v" : "s")).second) continue;
    const Tensors tensors = make_tensors(probe);
    validate_problem(probe.problem);
    CHECK_NOTHROW(validate_tensors(probe.problem, tensors));
  }
  CHECK(families.size() >= 23);
}

TEST_CASE("a right implementation passes a probe of each family") {
  fresh();
  for (const char* filter :
       {"^lengths/keys/sglang/linear/page=16/quant=page", "^mask/both/vllm/vectorized/page=64/quant=mx",
        "^sink/(odd_sinks|poisoned_gap)/vllm/vectorized/page=128/quant=page",
        "^exact_table/vllm/linear/page=1/quant=none", "^padded_table/.*/linear/page=16/quant=tensor",
        "^page_descales/sglang/vectorized/page=64", "^empty_request/.*/sglang/linear/page=16/quant=page",
        "^shared_pages/.*/page=16/quant=page", "^key_split/.*/page=64/quant=page",
        "^contiguous/sglang/linear/page=64/quant=tensor", "^uneven_lengths/sglang/linear/page=64/quant=none",
        "^large_scores/sglang/linear/page=16/quant=mx", "^page_ids/sglang/linear/page=16/quant=page",
        "even_first/4096,4097/constant_v", "^append_lengths/.*/vllm/page=64/", "^append_heads/12:3/.*page=1/",
        "^append_values/.*/page=16/bf16", "^append_scores/.*/page=1/bf16",
        "^append_tables/.*/vllm/page=64/bf16"}) {
    const auto failure = first_failure_of(filter);
    INFO((failure ? failure->probe + ": " + failure->outcome.reason() : ""));
    CHECK_FALSE(failure);
  }
}

TEST_CASE("each family fails an implementation that makes its mistake", "[unsanitized]") {
  fake::Behaviour& behaviour = fresh();
  std::string filter;
  SECTION("page_permutation: an offset of 32 bits") {
    behaviour.use = with_pages([](int32_t page, size_t) { return page & 4095; });
    filter = "single/4097/constant_v"; // where page 1 holds values, too
  }
  SECTION("page_permutation: pairs of pages with the odd one first") {
    behaviour.use = with_pages([](int32_t page, size_t) { return page == 4096 ? 4097 : 4096; });
    filter = "even_first/4096,4097/constant_v";
  }
  SECTION("page_permutation: a duplicate taken for the next page") {
    behaviour.use = with_pages([](int32_t page, size_t entry) { return page + static_cast<int32_t>(entry); });
    filter = "duplicate/4096,4096/constant_v";
  }
  SECTION("page_ids: ids of 16 bits") {
    behaviour.use = with_pages([](int32_t page, size_t) { return page & 0xffff; });
    filter = "^page_ids/vllm/vectorized/page=16/quant=tensor";
  }
  SECTION("page_descales: those of the other head") {
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      wrong.v_descale = copy(tensors.v_descale);
      auto values = wrong.v_descale.as<float>();
      for (size_t i = 0; i < values.size(); i += 2) std::swap(values[i], values[i + 1]);
      return wrong;
    };
    filter = "^page_descales/sglang/linear/page=16";
  }
  SECTION("lengths, contiguous: a last page that counts as full") {
    behaviour.problem = [](Problem problem) {
      for (Request& request : problem.requests)
        request.key_length = problem.pages_of(request) * problem.page_size;
      return problem;
    };
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      wrong.kv_last_page_lens = copy(tensors.kv_last_page_lens);
      std::ranges::fill(wrong.kv_last_page_lens.as<int32_t>(), 16);
      return wrong;
    };
    filter = GENERATE(as<std::string>(), "^lengths/keys/sglang/linear/page=16/quant=none",
                      "^contiguous/sglang/linear/page=16/quant=none");
  }
  SECTION("lengths: the last query is not stored") {
    behaviour.skip_last_row = true;
    filter = "^lengths/queries/sglang/linear/page=16/quant=none";
  }
  SECTION("mask: no diagonal") {
    behaviour.problem = [](Problem problem) { return problem.causal = false, problem; };
    filter = "^mask/causal/sglang/linear/page=64/quant=none";
  }
  SECTION("mask: a window one key too wide") {
    behaviour.problem = [](Problem problem) { return ++problem.window->left, problem; };
    filter = "^mask/left/sglang/linear/page=64/quant=none";
  }
  SECTION("exact_table, padded_table: the second page of a request for the first") {
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      wrong.kv_page_indices = copy(tensors.kv_page_indices);
      wrong.kv_page_indices.as<int32_t>()[0] = tensors.kv_page_indices.as<int32_t>()[1];
      return wrong;
    };
    filter = GENERATE(as<std::string>(), "^exact_table/sglang/linear/page=16/quant=page",
                      "^padded_table/sglang/linear/page=16/quant=page");
  }
  SECTION("empty_request: a query that sees nothing is 0 / 0") {
    behaviour.spoil = [](std::vector<double>& output, int) {
      for (double& x : output)
        if (x == 0) x = NAN;
    };
    filter = "^empty_request/no_keys_last/sglang/linear/page=16/quant=none";
  }
  SECTION("key_split: a query that sees nothing of any part is 0 / 0") {
    behaviour.spoil = [](std::vector<double>& output, int) {
      for (double& x : output)
        if (x == 0) x = NAN;
    };
    filter = "^key_split/masked_part/sglang/linear/page=16/quant=tensor";
  }
  SECTION("shared_pages: a repeated page taken once") {
    behaviour.use =
        with_pages([](int32_t page, size_t entry) { return entry == 8 || entry == 9 ? 0 : page; });
    filter = "^shared_pages/sglang/linear/page=16/quant=none";
  }
  SECTION("uneven_lengths: work sized by something shorter than the longest request") {
    behaviour.problem = [](Problem problem) {
      for (Request& request : problem.requests) request.key_length = std::min(request.key_length, 1024);
      return problem;
    };
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      wrong.seqlen_k = copy(tensors.seqlen_k);
      for (int32_t& length : wrong.seqlen_k.as<int32_t>()) length = std::min(length, 1024);
      return wrong;
    };
    filter = "^uneven_lengths/vllm/linear/page=16/quant=none";
  }
  const auto failure = first_failure_of(filter);
  REQUIRE(failure);
  INFO(failure->outcome.reason());
  CHECK(failure->outcome.kind() == OutcomeKind::inaccurate);
}

TEST_CASE("constant V tells which page was seen instead, and with which weight") {
  fresh().use = with_pages([](int32_t page, size_t) { return page & 4095; });
  const auto failure = first_failure_of("single/4098/constant_v");
  REQUIRE(failure);
  CHECK_THAT(failure->outcome.reason(), Catch::EndsWith(" saw page 2: 1 instead of page 4098: 1"));
}

TEST_CASE("a row of pages may not be much worse than its pages alone, though the rule would allow it") {
  // 16 query rows: the rule allows twice plain's rmse, where the row's pages alone have plain's.
  const auto made = [](int pages) {
    Problem problem;
    problem.lse = true;
    problem.requests = {{16, 64 * pages}};
    problem.page_size = 64;
    return Probe{.name = std::to_string(pages),
                 .reason = "test",
                 .problem = problem,
                 .choices =
                     [=] {
                       return operators::Choices{.pages = workload::assign_pages(problem),
                                                 .values = workload::make_value_source(problem)};
                     },
                 .page_of_column = {},
                 .alone = {}};
  };
  Probe row = made(2);
  row.alone = {std::make_shared<Probe>(made(1))};
  const double noise = GENERATE(0.0, 1.2);
  int keys = 0; // of the run at hand
  fake::Behaviour& behaviour = fresh();
  behaviour.use = [&](const Tensors& tensors) {
    keys = static_cast<int>(tensors.kv_page_indices.elements());
    return tensors;
  };
  // Of the size of plain's own error, which is bf16's rounding, and only where there are two pages.
  behaviour.spoil = [&](std::vector<double>& output, int) {
    if (keys < 2 + workload::TablePadding().indices) return;
    for (size_t i = 0; i < output.size(); ++i) output[i] *= 1 + noise * (i % 2 == 0 ? 1 : -1) * 0x1p-9;
  };
  const auto failure = first_failure(find_implementation("fake_a"), {row}, {});
  CHECK(failure.has_value() == (noise > 0));
  if (failure)
    CHECK_THAT(failure->outcome.reason(),
               Catch::StartsWith("kernel/plain rmse ") &&
                   Catch::EndsWith("1.25 times that of the worst of its pages alone"));
}

TEST_CASE("descales of any two pages of the permutation family are at least a factor of 2 apart") {
  for (const char* name : {"4096,4097/constant_v", "4096,4097/random_v"}) {
    std::map<int32_t, float> k, v;
    for (const Probe& probe : select_probes(page_permutations(), ""))
      if (probe.name.ends_with(name)) {
        const operators::Choices choices = probe.choices();
        for (const Probe& other : page_permutations())
          for (const auto& use : other.choices().pages.used) {
            k[use.page] = choices.page_descale(use.page, 0, false);
            v[use.page] = choices.page_descale(use.page, 0, true);
          }
      }
    CHECK(k.size() >= 12);
    for (const auto& descales : {k, v})
      for (const auto& [page, descale] : descales)
        for (const auto& [other, its] : descales) {
          CAPTURE(page, other);
          if (page != other) CHECK(std::max(descale / its, its / descale) >= 2);
        }
  }
}

TEST_CASE("the permutation family holds the rows that were asked for") {
  std::set<std::string> rows;
  for (const Probe& probe : page_permutations()) {
    const size_t end = probe.name.rfind('/');
    const size_t begin = probe.name.rfind('/', end - 1) + 1;
    rows.insert(probe.name.substr(begin, end - begin));
    CHECK(probe.choices().pages.pool_pages == 5000);
    CHECK(probe.problem.page_size == 1024);
    CHECK(probe.problem.kv_heads == 8);
  }
  CHECK(rows.size() >= 23);
  for (const char* row :
       {"4096", "4097", "4096,4096", "4096,4097", "4098,4099", "4097,4098", "4096,4098", "4095,4096"})
    CHECK(rows.contains(row));
}

TEST_CASE("exact tables end with their last entry, padded ones go on with ids that no pool has") {
  for (const Probe& probe : select_probes(exact_tables(), "page=16/quant=none")) {
    const Tensors tensors = make_tensors(probe);
    if (probe.problem.page_table == PageTable::sglang)
      CHECK(tensors.kv_page_indices.elements() == tensors.kv_indptr.as<int32_t>().back());
    else
      CHECK(tensors.block_table.shape()[1] == (probe.problem.max_key_length() + 15) / 16);
  }
  for (const Probe& probe : select_probes(padded_tables(), "page=16/quant=none")) {
    const Tensors tensors = make_tensors(probe);
    const Tensor& table =
        probe.problem.page_table == PageTable::sglang ? tensors.kv_page_indices : tensors.block_table;
    std::set<int32_t> foreign;
    for (const int32_t id : table.as<const int32_t>())
      if (id < 0 || id >= tensors.pool_pages()) foreign.insert(id);
    CHECK(foreign == std::set<int32_t>{-1, static_cast<int32_t>(tensors.pool_pages()), 0x7fffffff});
  }
}

TEST_CASE("a filter that matches no probe and one that is no expression are refused") {
  CHECK_THROWS_WITH(select_probes(all_probes(), "nonesuch"),
                    "filter = nonesuch: matches no probe (--list-probes prints them)");
  CHECK_THROWS_AS(select_probes(all_probes(), "("), InvalidInput);
}

TEST_CASE("NaN in a gap that no query sees is no bad input, nor are values that saturate") {
  for (const Probe& probe :
       select_probes(all_probes(), "^sink/poisoned_gap/.*linear|^append_values/.*sglang")) {
    CAPTURE(probe.name);
    CHECK_NOTHROW(workload::validate_values(probe.problem, make_tensors(probe)));
  }
}
