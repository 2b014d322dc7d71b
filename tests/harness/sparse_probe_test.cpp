// Each family of sparse_prefill passes a right implementation and fails one that makes its mistake.
#include "fake_implementation.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Tensor copy(const Tensor& tensor) {
  Tensor out(tensor.type(), tensor.shape());
  std::copy(tensor.data(), tensor.data() + tensor.bytes(), out.data());
  return out;
}

// A tensor of rows most of which were never touched; row r is row from(r).
Tensor copy_rows(const Tensor& tensor, const std::vector<int32_t>& rows, int32_t (*from)(int32_t row)) {
  Tensor out(tensor.type(), tensor.shape());
  const size_t bytes = tensor.bytes() / static_cast<size_t>(tensor.shape()[0]);
  for (const int32_t row : rows)
    std::copy_n(tensor.data() + static_cast<size_t>(from(row)) * bytes, bytes,
                out.data() + static_cast<size_t>(row) * bytes);
  return out;
}

void change_ids(Tensor& indices, const std::function<int32_t(int32_t id, size_t entry)>& change) {
  indices = copy(indices);
  auto ids = indices.as<int32_t>();
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = change(ids[i], i);
}

// The first probe that fails an implementation which takes changed tensors for the right ones.
std::optional<ProbeFailure> first_failure_of(const std::string& filter, std::function<Tensors(Tensors)> use,
                                             std::function<Problem(Problem)> problem = nullptr) {
  fake::reset_behaviours();
  fake::Behaviour& behaviour = fake::behaviour("fake_a");
  if (use) behaviour.use = [=](const Tensors& tensors) { return use(tensors); };
  behaviour.problem = std::move(problem);
  return first_failure(find_implementation("fake_a"), select_probes(all_probes(), filter), {});
}

std::function<Tensors(Tensors)> with_sparse(std::function<void(SparseTensors&)> change) {
  return [=](Tensors tensors) {
    change(sparse_tensors(tensors));
    return tensors;
  };
}

// After a change of lengths.
Problem consistent(Problem problem) {
  return problem.requests = {{sparse_lists(problem)->tokens, most_listed_rows(*sparse_lists(problem))}},
         problem;
}

Problem without_sink(Problem problem) { return problem.sink_logit = false, problem; }

std::function<Tensors(Tensors)> with_sinks(std::function<void(std::span<float>)> change) {
  return [=](Tensors tensors) {
    tensors.sink_logit = copy(tensors.sink_logit);
    change(tensors.sink_logit.as<float>());
    return tensors;
  };
}

// Every pair of neighbours among `count` bytes at `first` of each row changes places.
void swap_pairs(Tensor& tensor, size_t first, size_t count, size_t size) {
  tensor = copy(tensor);
  const size_t row_bytes = tensor.bytes() / static_cast<size_t>(tensor.shape()[0]);
  for (size_t row = 0; row < tensor.bytes(); row += row_bytes)
    for (size_t i = 0; i + 1 < count; i += 2) {
      std::byte* pair = tensor.data() + row + first + i * size;
      std::swap_ranges(pair, pair + size, pair + size);
    }
}

} // namespace

TEST_CASE("a sweep without a filter runs probes that operators name for it") {
  std::set<std::string> families;
  for (const Probe& probe : select_probes(all_probes(), filter_of_sweeps()))
    families.insert(probe.name.substr(0, probe.name.find('/')));
  CHECK(families == std::set<std::string>{"lengths", "mask", "uneven_lengths", "sparse_lengths",
                                          "sparse_heads", "sparse_uneven_lists", "merge_columns",
                                          "merge_counts", "merge_rows"});
}

TEST_CASE("a right implementation passes a probe of each sparse family") {
  for (const char* filter :
       {"^sparse_lengths/split/packed/h=16", "^sparse_heads/split/h=48", "^sparse_exact_list/.*/bf16/h=16",
        "^sparse_padded_list/split/h=16", "^sparse_empty/.*/packed/h=16", "^sparse_repeated_rows/split/h=16",
        "^sparse_shared_rows/packed/h=16", "^sparse_uneven_lists/bf16/h=16", "^sparse_row_ids/pool/bf16/h=16",
        "^sparse_row_ids/chunk/packed/h=16", "^sparse_scales/.*/h=16", "^sparse_rope/.*/h=16",
        "^sparse_sink/.*/split/h=16", "^sparse_scores/.*/packed/h=16"}) {
    const auto failure = first_failure_of(filter, nullptr);
    INFO(filter << (failure ? " " + failure->probe + ": " + failure->outcome.reason() : ""));
    CHECK_FALSE(failure);
  }
}

TEST_CASE("each sparse family fails an implementation that makes its mistake", "[unsanitized]") {
  std::string filter;
  std::function<Tensors(Tensors)> use;
  std::function<Problem(Problem)> problem;
  SECTION("lengths: the last row does not count") {
    problem = [](Problem changed) {
      return --sparse_lists(changed)->prefix_lengths.back(), consistent(changed);
    };
    use = with_sparse([](SparseTensors& t) {
      change_ids(t.prefix_indptr, [last = t.prefix_indptr.as<int32_t>().size() - 1](int32_t end, size_t i) {
        return i == last ? end - 1 : end;
      });
    });
    filter =
        GENERATE(as<std::string>(), "^sparse_lengths/prefix/bf16/h=16", "^sparse_lengths/split/packed/h=64");
  }
  SECTION("lengths: the chunk's lists are cut by the indptr of the pool's") {
    problem = [](Problem changed) {
      sparse_lists(changed)->extend_lengths = sparse_lists(changed)->prefix_lengths;
      return consistent(changed);
    };
    use = with_sparse([](SparseTensors& t) { t.extend_indptr = t.prefix_indptr; });
    filter = "^sparse_lengths/opposite/split/h=16";
  }
  SECTION("heads: a row of Q of another token") {
    filter = "^sparse_heads/bf16/h=48";
    use = with_sparse([](SparseTensors& t) {
      t.q.nope = copy(t.q.nope);
      const size_t half = t.q.nope.bytes() / 2;
      std::swap_ranges(t.q.nope.data(), t.q.nope.data() + 1024, t.q.nope.data() + half);
    });
  }
  SECTION("exact and padded lists: the second row of a list for the first") {
    use = with_sparse([](SparseTensors& t) {
      change_ids(t.prefix_indices, [&, second = t.prefix_indices.as<int32_t>()[1]](int32_t id, size_t entry) {
        return entry == 0 ? second : id;
      });
    });
    filter = GENERATE(as<std::string>(), "^sparse_exact_list/last_tile/packed/h=16",
                      "^sparse_padded_list/bf16/h=64");
  }
  SECTION("empty lists: the sink's LSE missing") {
    problem = without_sink;
    use = [](Tensors tensors) { return tensors.sink_logit = Tensor(), tensors; };
    filter = "^sparse_empty/all/sink/bf16/h=16";
  }
  SECTION("repeated rows: those that follow each other taken once") {
    use = with_sparse([](SparseTensors& t) {
      change_ids(t.prefix_indices, [](int32_t id, size_t entry) { return entry == 71 ? 30 : id; });
    });
    filter = "^sparse_repeated_rows/packed/h=64";
  }
  SECTION("repeated rows: a row of the chunk for its neighbour") {
    use = with_sparse([](SparseTensors& t) {
      change_ids(t.extend_indices, [](int32_t id, size_t) { return id == 9 ? 8 : id; });
    });
    filter = "^sparse_repeated_rows/split/h=16";
  }
  SECTION("shared and uneven: the next one of all rows that are listed") {
    use = with_sparse([](SparseTensors& t) {
      const auto listed =
          t.prefix_indices.as<int32_t>().first(static_cast<size_t>(t.prefix_indptr.as<int32_t>().back()));
      std::vector<int32_t> ids(listed.begin(), listed.end());
      change_ids(t.prefix_indices, [&](int32_t id, size_t entry) {
        return entry < ids.size() ? ids[(entry + 1) % ids.size()] : id;
      });
    });
    filter =
        GENERATE(as<std::string>(), "^sparse_shared_rows/split/h=64", "^sparse_uneven_lists/packed/h=16");
  }
  SECTION("row ids: of 16 bits") {
    use = with_sparse([](SparseTensors& t) {
      change_ids(t.extend_indices, [](int32_t id, size_t) { return id & 0xffff; });
    });
    filter = "^sparse_row_ids/chunk/bf16/h=16";
  }
  SECTION("row ids: ROPE's of 24 bits") {
    use = with_sparse([](SparseTensors& t) {
      t.pool.rope = copy_rows(t.pool.rope, t.pool.written, [](int32_t row) { return row & 0xffffff; });
    });
    filter = "^sparse_row_ids/pool/packed/h=16";
  }
  SECTION("scales: those of the other half") {
    filter = GENERATE(as<std::string>(), "^sparse_scales/scattered_6/split/h=16",
                      "^sparse_scales/columns/split/h=16", "^sparse_scales/scattered_20/packed/h=16");
    const bool packed = filter.find("packed") != filter.npos;
    use = with_sparse([=](SparseTensors& t) {
      if (packed)
        swap_pairs(t.pool.nope, sparse::packed_scales_begin, 14, 1);
      else
        swap_pairs(t.pool.scale, 0, 6, 4);
    });
  }
  SECTION("scales: the query's of the other half") {
    use = with_sparse([](SparseTensors& t) { swap_pairs(t.q.scale, 0, 6, 4); });
    filter =
        GENERATE(as<std::string>(), "^sparse_scales/query/split/h=16", "^sparse_scales/columns/split/h=64");
  }
  SECTION("rope: left out of the scores and outputs") {
    use = with_sparse([](SparseTensors& t) {
      t.pool.rope = copy(t.pool.rope);
      std::fill_n(t.pool.rope.data(), t.pool.rope.bytes(), std::byte{0});
    });
    filter = GENERATE(as<std::string>(), "^sparse_rope/large/packed/h=16", "^sparse_rope/small/split/h=64");
  }
  SECTION("sink: dropped") {
    problem = without_sink;
    use = [](Tensors tensors) { return tensors.sink_logit = Tensor(), tensors; };
    filter = GENERATE(as<std::string>(), "^sparse_sink/near/bf16/h=16", "^sparse_sink/above/packed/h=64",
                      "^sparse_sink/large_scale/bf16/h=16");
  }
  SECTION("sink: of the next head, of the next block of heads, scaled, in the wrong base") {
    const int mistake = GENERATE(0, 1, 2, 3);
    use = with_sinks([=](std::span<float> sinks) {
      if (mistake == 0) std::ranges::rotate(sinks, sinks.begin() + 1);
      if (mistake == 1) std::ranges::rotate(sinks, sinks.begin() + 16);
      for (float& sink : sinks) {
        if (mistake == 2) sink *= 0.0442f;
        if (mistake == 3) sink *= std::numbers::log2e_v<float>;
      }
    });
    filter = "^sparse_sink/near/split/h=64";
  }
  SECTION("sink: a softmax scale that is implied") {
    problem = [](Problem changed) { return changed.scale = 1 / std::sqrt(512.0f), changed; };
    filter = GENERATE(as<std::string>(), "^sparse_sink/large_scale/bf16/h=16",
                      "^sparse_sink/small_scale/packed/h=64");
  }
  SECTION("scores: in the wrong base") {
    problem = [](Problem changed) {
      changed.scale = *changed.scale * std::numbers::ln2_v<float>;
      return changed;
    };
    filter =
        GENERATE(as<std::string>(), "^sparse_scores/rising/packed/h=16", "^sparse_scores/large/bf16/h=16");
  }
  const auto failure = first_failure_of(filter, use, problem);
  REQUIRE(failure);
  INFO(failure->outcome.reason());
  CHECK(failure->outcome.kind() == OutcomeKind::inaccurate);
}

TEST_CASE("values of their own tell which row was seen instead") {
  const auto failure = first_failure_of("^sparse_row_ids/pool/bf16/h=16", with_sparse([](SparseTensors& t) {
                                          change_ids(t.prefix_indices, [](int32_t id, size_t entry) {
                                            return entry == 14 ? id & 0x3fffff : id; // 2^32 bytes
                                          });
                                        }));
  REQUIRE(failure);
  CHECK_THAT(failure->outcome.reason(), Catch::Contains(" saw row 1: ") && Catch::Contains("instead of") &&
                                            Catch::Contains("row 4194305: "));
}
