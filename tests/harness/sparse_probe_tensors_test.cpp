// The probes of sparse_prefill hold what their families say.
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace fmha950;
using namespace fmha950::harness;

TEST_CASE("sparse probes are in all formats, with heads for both kinds of kernels, and validate") {
  std::set<std::string> families, forms;
  size_t count = 0;
  for (const Probe& probe : all_probes()) {
    if (!probe.name.starts_with("sparse_")) continue;
    CAPTURE(probe.name);
    ++count;
    CHECK(probe.problem.op == sparse_prefill);
    families.insert(probe.name.substr(0, probe.name.find('/')));
    forms.insert(probe.name.substr(probe.name.rfind('/', probe.name.rfind('/') - 1) + 1));
    validate_problem(probe.problem);
    if (probe.name.starts_with("sparse_row_ids")) continue; // tens of millions of rows: valid where they run
    CHECK_NOTHROW(validate_tensors(probe.problem, make_tensors(probe)));
  }
  CHECK(families.size() == 13);
  CHECK(count >= 150);
  CHECK(count <= 250);
  for (const char* form :
       {"bf16/h=16", "bf16/h=64", "split/h=16", "split/h=64", "packed/h=16", "packed/h=64"})
    CHECK(forms.contains(form));
}

TEST_CASE("in the row_ids probes listed rows lie on both sides of bytes 2^31 and 2^32 of each tensor") {
  for (const Probe& probe : select_probes(sparse_row_ids(), "h=16$")) {
    CAPTURE(probe.name);
    const Tensors tensors = make_tensors(probe);
    const bool in_pool = probe.name.find("/pool/") != probe.name.npos;
    const SparseTensors& t = sparse_tensors(tensors);
    const SparseRows& rows = in_pool ? t.pool : t.chunk;
    const auto listed = in_pool ? listed_rows(t.prefix_indptr, t.prefix_indices)
                                : listed_rows(t.extend_indptr, t.extend_indices);
    int crossings = 0;
    for (const Tensor* tensor : {&rows.nope, &rows.rope, &rows.scale})
      for (const int64_t edge : {int64_t{1} << 31, int64_t{1} << 32}) {
        if (tensor->empty() || static_cast<int64_t>(tensor->bytes()) <= edge) continue;
        ++crossings;
        const int64_t row = edge / (static_cast<int64_t>(tensor->bytes()) / rows.rows());
        for (const int64_t beside : {row - 1, row, row + 1})
          CHECK(std::ranges::binary_search(listed, static_cast<int32_t>(beside)));
      }
    CHECK(crossings == (probe.name.find("bf16") != probe.name.npos     ? 2
                        : probe.name.find("packed") != probe.name.npos ? 4
                                                                       : 5)); // split: 2^31 alone of scales
    CHECK(probe.page_of_column.size() == 512);
    // Every row has columns in each scale block, and the scales are not all the same.
    for (size_t block = 0; block < 512; block += 32) {
      const std::set<int32_t> in_block(probe.page_of_column.begin() + static_cast<std::ptrdiff_t>(block),
                                       probe.page_of_column.begin() +
                                           static_cast<std::ptrdiff_t>(block + 32));
      CHECK(in_block.size() >= listed.size());
    }
  }
}

TEST_CASE("exact lists end with their last entry, padded ones go on with ids of no row") {
  for (const Probe& probe : select_probes(sparse_exact_lists(), "bf16/h=16$")) {
    const Tensors tensors = make_tensors(probe);
    const SparseTensors& t = sparse_tensors(tensors);
    CHECK(t.prefix_indices.elements() == t.prefix_indptr.as<int32_t>().back());
    CHECK(t.extend_indices.elements() == t.extend_indptr.as<int32_t>().back());
  }
  for (const Probe& probe : select_probes(sparse_padded_lists(), "bf16/h=16$")) {
    const Tensors tensors = make_tensors(probe);
    const SparseTensors& t = sparse_tensors(tensors);
    std::set<int32_t> foreign;
    for (const int32_t id : t.prefix_indices.as<const int32_t>())
      if (id < 0 || id >= t.pool.rows()) foreign.insert(id);
    CHECK(foreign == std::set<int32_t>{-1, static_cast<int32_t>(t.pool.rows()), 0x7fffffff});
  }
}

TEST_CASE("in the lengths probes rows 0 and the last are listed by no token, and are NaN") {
  for (const Probe& probe : select_probes(sparse_lengths(), "h=16$")) {
    CAPTURE(probe.name);
    const Tensors tensors = make_tensors(probe);
    const SparseTensors& t = sparse_tensors(tensors);
    for (const SparseRows* rows : {&t.pool, &t.chunk})
      for (const int64_t row : {int64_t{0}, rows->rows() - 1}) {
        std::array<float, 512> columns;
        read_row<float>(probe.problem, *rows, row, columns);
        CHECK(std::ranges::all_of(columns, [](float x) { return std::isnan(x); }));
      }
    const auto listed = listed_rows(t.prefix_indptr, t.prefix_indices);
    CHECK_FALSE(std::ranges::binary_search(listed, 0));
    CHECK_FALSE(std::ranges::binary_search(listed, static_cast<int32_t>(t.pool.rows() - 1)));
  }
}

TEST_CASE("scattered scales are as far apart as the name says, in rows and in columns") {
  for (const int exponent : {6, 14, 20}) {
    const auto probes =
        select_probes(sparse_scales(), "scattered_" + std::to_string(exponent) + "/split/h=16$");
    const Tensors tensors = make_tensors(probes.front());
    const SparseTensors& t = sparse_tensors(tensors);
    const auto scales = t.pool.scale.as<float>();
    const auto listed = listed_rows(t.prefix_indptr, t.prefix_indices);
    float beside = 1, behind = 1; // the largest ratios of neighbouring columns, of neighbouring rows
    for (size_t i = 0; i + 1 < listed.size(); ++i)
      for (size_t block = 0; block + 1 < 7; ++block) {
        const float own = scales[static_cast<size_t>(listed[i]) * 7 + block];
        beside = std::max(beside, scales[static_cast<size_t>(listed[i]) * 7 + block + 1] / own);
        behind = std::max(behind, scales[static_cast<size_t>(listed[i + 1]) * 7 + block] / own);
      }
    CHECK(beside >= std::ldexp(1.0f, exponent - 1)); // amax of 64 random values may round down
    CHECK(behind >= std::ldexp(1.0f, exponent - 1));
  }
}

TEST_CASE("sink logits differ from those of neighbours and of the next blocks of heads") {
  for (const Probe& probe : select_probes(sparse_sinks(), "h=64$")) {
    const Tensor sinks = make_tensors(probe).sink_logit;
    for (const size_t distance : {1, 2, 4, 8, 16, 32})
      for (size_t head = 0; head + distance < 64; ++head)
        CHECK(sinks.as<const float>()[head] != sinks.as<const float>()[head + distance]);
  }
}

TEST_CASE("mutants of kernels of sparse_prefill are judged by its probes, the others by the others") {
  const SourceMutant sparse{"prepass", "made", "prepass_sparse_wide", "sparse_prefill", "nothing", {}};
  const SourceMutant paged{"prepass", "made", "prepass_attention_bf16", "batch_prefill", "nothing", {}};
  for (const Probe& probe : select_probes(all_probes(), "(^lengths/keys|^sparse_lengths).*/(page=16|h=16)")) {
    CAPTURE(probe.name);
    CHECK(concerns(sparse, probe.problem) == probe.name.starts_with("sparse_"));
    CHECK(concerns(paged, probe.problem) != probe.name.starts_with("sparse_"));
  }
}
