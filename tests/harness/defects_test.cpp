// Defects do what their names say, to copies, and so that the reference notices.
#include "harness/sabotage/changed_tensors.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/operator.hpp"
#include "operators/append_prefill/trials/trials.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"
#include "sabotaged.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

using Kinds = std::set<std::string>;

constexpr const char* page_scaled =
    "batch_prefill/h=4:2/sq=32/sk=512/d=128/q=fp8/kv=fp8/quant=page/page=32/causal=1/lse=1";
constexpr const char* mx = "batch_prefill/h=4:2/sq=32/sk=200/d=128/q=fp8/kv=fp8/quant=mx/page=64/lse=1";
constexpr const char* window =
    "batch_prefill/h=4:2/sq=32/sk=512/d=128/table=vllm/window=100:20/sink=4/sinklogit=1";
constexpr const char* hnd = "batch_prefill/h=4:2/sq=32/sk=512/d=128/layout=hnd/causal=1/lse=1";
constexpr const char* mla = "batch_prefill/h=4:2/sq=32/sk=512/d=192:128/layout=hnd/causal=1/lse=1";
constexpr const char* mxfp4 = "batch_prefill/h=4:2/sq=32/sk=200/d=128/q=fp8/kv=mxfp4/page=64/lse=1";
constexpr const char* interleaved =
    "batch_prefill/h=4:2/sq=32/sk=500/d=128/kv=fp8/quant=page/layout=vectorized/page=48/interleaved=1";
constexpr const char* tree = "batch_prefill/h=4:2/sq=24,33/sk=200,64/d=128/causal=1/tree=24/lse=1";
constexpr const char* append = "append_prefill/h=4:2/sq=20/sk=300/d=64/causal=1/lse=1";
constexpr const char* sparse_split = "sparse_prefill/h=16/n=4/pool=128/chunk=32/kv=fp8/prefix=64,100,0,33/"
                                     "extend=8,16,4,0/scale=0.0442/sinklogit=1";
constexpr const char* sparse_packed = "sparse_prefill/h=16/n=4/pool=128/chunk=32/kv=fp8/format=packed/"
                                      "prefix=64,100,0,33/extend=8,16,4,0/scale=0.0442";

// Tensors of their own, so that what a defect writes to shared storage shows.
Tensors deep_copy(const Problem& problem, const Tensors& tensors) {
  Tensors copy = tensors;
  for (const TensorEntry& entry : problem.op->facts().tensors) entry.of(copy) = copy_of(entry.of(copy));
  return copy;
}

bool same(const Problem& problem, Tensors a, Tensors b) {
  return std::ranges::all_of(problem.op->facts().tensors, [&](const TensorEntry& entry) {
    return differing_bytes(entry.of(a), entry.of(b)) == 0;
  });
}

Tensors of_wrong_layout(const Sabotaged& of, const std::string& kind) {
  Problem problem = of.problem;
  Tensors tensors = of.tensors;
  of_kind(wrong_layouts(of.as_case()), kind).at(0).inputs(problem, tensors);
  return tensors;
}

} // namespace

TEST_CASE("defects: each changes copies alone, and the reference with them") {
  const char* const text = GENERATE(page_scaled, mx, mxfp4, window, hnd, interleaved, mla, tree, append,
                                    sparse_split, sparse_packed);
  CAPTURE(text);
  Sabotaged of(text);
  const Tensors before = deep_copy(of.problem, of.tensors);
  std::set<std::string> keys;
  for (const Defect& defect : all_defects(of.as_case())) {
    CAPTURE(defect.kind, defect.place);
    CHECK(keys.insert(defect.kind + " " + defect.place).second); // names are its own
    CHECK(1 == int(defect.inputs != nullptr) + int(defect.cache != nullptr) +
                   int(defect.outputs.expected != nullptr) + int(!defect.parts.parts.empty()));
    if (!defect.inputs) continue;
    Problem problem = of.problem;
    Tensors tensors = of.tensors;
    defect.inputs(problem, tensors);
    CHECK(same(of.problem, of.tensors, before));
    AttentionRows wrong;
    // None is refused.
    CHECK_NOTHROW(wrong = oracle().exact(problem, tensors, of.rows, OracleInput::dequantised));
    // No poison either, which anybody would see.
    CHECK(std::ranges::all_of(wrong.output, [](double o) { return std::isfinite(o); }));
    // Neighbouring blocks may have one scale; without a mask the order of pages is nothing to attention.
    if (defect.kind == "scale_of_block_before" || defect.kind == "page_ids_swapped") continue;
    // A tenth more or less rounds back to the same value of E2M1.
    const bool slightly = defect.kind.ends_with("_x0.9") || defect.kind.ends_with("_x1.1");
    if (of.problem.kv_type == ElementType::mxfp4 && slightly) continue;
    CHECK((problem != of.problem || !same(of.problem, tensors, before)));
    CHECK((wrong.output != of.exact().output || wrong.lse != of.exact().lse));
  }
}

TEST_CASE("defects: the kinds of every family") {
  const auto has_all = [](const std::vector<Defect>& defects, const Kinds& kinds) {
    for (const std::string& kind : kinds) {
      CAPTURE(kind);
      CHECK(!of_kind(defects, kind).empty());
    }
  };
  const Sabotaged paged(page_scaled), blocks(mx), masked(window), appended(append), lists(sparse_split);
  has_all(wrong_values(paged.as_case()),
          {"v_tile_x0.9", "v_tile_x1.1", "v_tile_x2", "k_tile_x0.9", "k_tile_x1.1", "k_tile_x2",
           "v_descale_x1.1", "k_descale_x0.9", "v_tile_elsewhere", "v_page_elsewhere", "v_row_elsewhere",
           "k_tile_elsewhere", "v_of_wrong_head", "k_of_wrong_head", "query_row_shifted"});
  has_all(wrong_values(blocks.as_case()),
          {"v_block_scale_x2_one", "v_block_scale_x2_all", "k_block_scale_x2_one", "k_block_scale_x2_all"});
  CHECK(kinds_of(wrong_tables(paged.as_case())) ==
        Kinds{"page_id_off_by_one", "page_ids_swapped", "page_ids_one_past"});
  CHECK(kinds_of(wrong_masks(paged.as_case())) ==
        Kinds{"scale_less", "scale_more", "mask_one_less", "mask_one_more"});
  CHECK(kinds_of(wrong_masks(blocks.as_case())) ==
        Kinds{"scale_less", "scale_more", "last_key_missing", "one_key_too_many"});
  CHECK(kinds_of(wrong_masks(masked.as_case())) ==
        Kinds{"scale_less", "scale_more", "sink_logit_of_next_head", "window_left_less", "window_left_more",
              "window_right_less", "window_right_more", "sink_one_less", "sink_one_more", "mask_one_less",
              "mask_one_more"});
  CHECK(kinds_of(wrong_outputs(paged.as_case())) ==
        Kinds{"lse_in_base_2", "output_x1.02", "output_x1.1", "output_row_of_neighbour"});
  CHECK(kinds_of(wrong_appends(appended.as_case())) ==
        Kinds{"k_slot_off_by_one", "v_slot_off_by_one", "k_page_not_dequantised", "v_page_not_dequantised"});
  CHECK(kinds_of(wrong_lists(lists.as_case())) == Kinds{"row_of_neighbour", "scale_of_block_before",
                                                        "row_scale_x2", "list_one_short",
                                                        "query_row_shifted"});
  CHECK(wrong_layouts(paged.as_case()).empty());
  CHECK(kinds_of(wrong_layouts(Sabotaged(hnd).as_case())) == Kinds{"hnd_read_as_linear"});
  CHECK(kinds_of(wrong_layouts(Sabotaged(interleaved).as_case())) ==
        Kinds{"v_offset_left_out", "one_pool_read_as_two"});
  CHECK(kinds_of(wrong_layouts(Sabotaged(mla).as_case())) ==
        Kinds{"hnd_read_as_linear", "v_rows_at_k_stride"});
  CHECK(kinds_of(wrong_layouts(Sabotaged(mxfp4).as_case())) == Kinds{"k_halves_swapped", "v_halves_swapped"});
  CHECK(wrong_trees(paged.as_case()).empty());
  CHECK(kinds_of(wrong_trees(Sabotaged(tree).as_case())) ==
        Kinds{"tree_left_out", "tree_transposed", "tree_row_of_node_before", "tree_bits_shifted",
              "tree_bits_reversed", "tree_of_next_request"});
  // One KV head, or one token a page: the rows of either layout are the same. And no page is full.
  for (const char* alike : {"h=4:1/sq=3/sk=64", "h=4:2/sq=3/sk=9/page=1", "h=4:2/sq=3/sk=9"})
    CHECK(wrong_layouts(Sabotaged(std::string("batch_prefill/layout=hnd/") + alike).as_case()).empty());
  // Families keep to their operators.
  CHECK(wrong_values(lists.as_case()).empty());
  CHECK(wrong_tables(lists.as_case()).empty());
  CHECK(wrong_appends(paged.as_case()).empty());
  CHECK(wrong_lists(paged.as_case()).empty());
  CHECK(wrong_parts(paged.as_case()).empty()); // of a plan that splits no keys
}

TEST_CASE("defects: a pool is read as one of another layout has its rows") {
  const Sabotaged of(hnd);
  const Tensors tensors = of_wrong_layout(of, "hnd_read_as_linear");
  const int32_t page = page_of(of.problem, of.tensors, 0, 0);
  const auto row = [&](const Tensor& pool, int number) { // of the page's, as they lie
    return pool.as<uint16_t>().subspan(static_cast<size_t>((int64_t{page} * 32 + number) * 128), 128);
  };
  // Of HND the page's row 16 h + s is head h's slot s, of LINEAR row 2 s + h.
  for (const auto& [wrong, right] :
       {std::pair(tensors.k_pool, of.tensors.k_pool), {tensors.v_pool, of.tensors.v_pool}})
    for (const auto& [head, slot] : {std::pair(0, 0), {0, 3}, {1, 0}, {1, 15}})
      CHECK(std::ranges::equal(row(wrong, 16 * head + slot), row(right, 2 * slot + head)));
}

TEST_CASE("defects: rows of V are read as far apart as those of K") {
  const Sabotaged of(mla);
  const Tensors tensors = of_wrong_layout(of, "v_rows_at_k_stride");
  const int32_t page = page_of(of.problem, of.tensors, 0, 0);
  const auto row = [&](const Tensor& pool, int64_t first) { // of 128 elements, from one of the page's on
    return pool.as<uint16_t>().subspan(static_cast<size_t>(int64_t{page} * 32 * 128 + first), 128);
  };
  for (const int number : {0, 1, 17}) // row 16 h + s of the page
    CHECK(std::ranges::equal(row(tensors.v_pool, number * 128), row(of.tensors.v_pool, number * 192)));
  CHECK(tensors.k_pool.data() == of.tensors.k_pool.data());
}

TEST_CASE(
    "defects: two elements of mxfp4 change places, in full pages alone, and a key is copied without its "
    "neighbours") {
  const Sabotaged of(mxfp4);
  const Tensors tensors = of_wrong_layout(of, "v_halves_swapped");
  const auto element = [&](const Tensor& pool, int token, int column) {
    const int64_t page = page_of(of.problem, of.tensors, 0, token);
    return pool.value(v_index(of.problem, page, token % 64, 1, column));
  };
  int moved = 0;
  for (const int token : {0, 191, 192, 199})
    for (int column = 0; column < 128; ++column) {
      const int right = token < 192 ? column ^ 1 : column; // the last page is not full
      CHECK(element(tensors.v_pool, token, column) == element(of.tensors.v_pool, token, right));
      moved += element(tensors.v_pool, token, column) != element(of.tensors.v_pool, token, column);
    }
  CHECK(moved > 100);
  CHECK(tensors.k_pool.data() == of.tensors.k_pool.data());

  Tensors copied = of.tensors;
  StoredKeys(of.problem, copied, Stored::v).copy(0, 7, 0, 100, 1);
  for (int64_t i = 0; i < copied.v_pool.elements(); ++i) {
    const int64_t page = page_of(of.problem, of.tensors, 0, 100);
    const int64_t column = i - v_index(of.problem, page, 100 % 64, 1, 0);
    const int64_t from = v_index(of.problem, page_of(of.problem, of.tensors, 0, 7), 7, 0, 0);
    const int64_t right = column >= 0 && column < 128 ? from + column : i;
    REQUIRE(copied.v_pool.value(i) == of.tensors.v_pool.value(right));
  }
}

TEST_CASE("defects: pages of one pool are counted as if K and V had one each") {
  const Sabotaged of(interleaved);
  const std::set<int32_t> full = full_pages(of.problem, of.tensors);
  CHECK(full.size() == 500 / 48);
  const Tensors tensors = of_wrong_layout(of, "one_pool_read_as_two");
  const auto page = [&](const Tensor& pool, int32_t number) {
    const auto elements = static_cast<size_t>(of.problem.page_elements());
    return pool.as<uint8_t>().subspan(static_cast<size_t>(number) * elements, elements);
  };
  // The pool is K0 V0 K1 V1 K2 ...
  for (const int32_t id : full) {
    const Tensor &k_source = id % 2 == 0 ? of.tensors.k_pool : of.tensors.v_pool,
                 &v_source = id % 2 == 0 ? of.tensors.v_pool : of.tensors.k_pool;
    const int32_t k_page = full.contains(id / 2) ? id / 2 : -1, v_page = (id + 1) / 2;
    if (k_page >= 0) CHECK(std::ranges::equal(page(tensors.k_pool, id), page(k_source, k_page)));
    if (full.contains(v_page)) CHECK(std::ranges::equal(page(tensors.v_pool, id), page(v_source, v_page)));
  }
}

TEST_CASE("defects: page ids are swapped in two places of the table, one off in one") {
  for (const std::string table : {"sglang", "vllm"}) {
    const Sabotaged of(std::string(page_scaled) + "/table=" + table);
    Tensor Tensors::* const ids = table == "vllm" ? &Tensors::block_table : &Tensors::kv_page_indices;
    const auto entries_changed = [&](const Defect& defect) {
      Problem problem = of.problem;
      Tensors tensors = of.tensors;
      defect.inputs(problem, tensors);
      const std::span<const int32_t> before = (of.tensors.*ids).as<int32_t>(),
                                     after = (tensors.*ids).as<int32_t>();
      int changed = 0;
      for (size_t i = 0; i < std::min<size_t>(16, after.size()); ++i) changed += before[i] != after[i];
      return changed;
    };
    for (const Defect& defect : of_kind(wrong_tables(of.as_case()), "page_ids_swapped"))
      CHECK(entries_changed(defect) == 2);
    for (const Defect& defect : of_kind(wrong_tables(of.as_case()), "page_id_off_by_one"))
      CHECK(entries_changed(defect) == 1);
  }
}

TEST_CASE("defects: outputs are changed on the device as in what is expected") {
  Sabotaged of(page_scaled);
  for (const Defect& defect : wrong_outputs(of.as_case())) {
    CAPTURE(defect.kind, defect.place);
    AttentionRows expected = of.exact();
    RowOutputs outputs;
    outputs.output.resize(expected.output.size() * 2);
    outputs.lse.resize(expected.lse.size() * 4);
    for (size_t i = 0; i < outputs.output.size(); ++i) outputs.output[i] = std::byte(i * 7 / 256 % 251);
    for (size_t i = 0; i < expected.lse.size(); ++i) {
      const auto lse = static_cast<float>(expected.lse[i]);
      std::memcpy(&outputs.lse[4 * i], &lse, 4);
    }
    const RowOutputs before = outputs;
    defect.outputs.expected(expected);
    defect.outputs.on_device(outputs, of.rows);
    const size_t columns = expected.output.size() / of.rows.size();
    for (size_t row = 0; row < of.rows.size(); ++row) {
      const bool expected_changed = !std::equal(expected.output.begin() + int64_t(row * columns),
                                                expected.output.begin() + int64_t((row + 1) * columns),
                                                of.exact().output.begin() + int64_t(row * columns));
      const bool changed = std::memcmp(&outputs.output[row * columns * 2], &before.output[row * columns * 2],
                                       columns * 2) != 0;
      CHECK(changed == expected_changed);
    }
    for (size_t i = 0; i < expected.lse.size(); ++i) {
      float lse;
      std::memcpy(&lse, &outputs.lse[4 * i], 4);
      CHECK(lse == Approx(expected.lse[i]));
    }
  }
}

TEST_CASE("defects: parts of one tile are left out, doubled, or weighed as another part") {
  Sabotaged of(page_scaled);
  float lse[4] = {};
  for (int part = 0; part < 2; ++part)
    for (int head = 0; head < 2; ++head)
      of.plan.weights.push_back({.launch = 1,
                                 .lse = &lse[2 * part + head],
                                 .row = of.rows[0],
                                 .head = head,
                                 .tile = 3,
                                 .first_key = 256 * part,
                                 .last_key = 256 * (part + 1)});
  of.plan.weights.insert(of.plan.weights.begin(), of.plan.weights[0]);
  of.plan.weights[0].tile = 2; // of another tile
  const auto defects = wrong_parts(of.as_case());
  REQUIRE(defects.size() == 6);
  for (const Defect& defect : defects) {
    CAPTURE(defect.kind, defect.place);
    const PartChange& change = defect.parts;
    REQUIRE(change.parts.size() == 2);
    CHECK(std::ranges::all_of(change.parts, [&](const PartialWeight& part) {
      return part.tile == 3 && part.first_key == change.parts[0].first_key;
    }));
    CHECK(change.instead.empty() == (defect.kind != "part_with_wrong_lse"));
    if (defect.kind == "part_left_out") CHECK(change.factor == 0);
    if (defect.kind == "part_counted_twice") CHECK(change.factor == 2);
    for (size_t i = 0; i < change.instead.size(); ++i) {
      CHECK(change.instead[i].first_key != change.parts[i].first_key);
      CHECK(change.instead[i].head == change.parts[i].head);
    }
  }
}
