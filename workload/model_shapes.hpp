#pragma once
// Attention shapes of published models (data/model_shapes.csv, one source per row)
// and their tensor-parallel shards.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::workload {

struct ModelShape {
  std::string model;
  int layers = 0;
  int query_heads = 0, kv_heads = 0;
  int head_dim = 0;          // of Q and K
  int value_head_dim = 0;    // of V, mostly the same
  std::optional<int> window; // sliding window, tokens, the query's own included
  bool sink = false;         // a learned sink logit per query head
  bool sparse = false;       // a query sees keys that an index picks
  std::string notes;

  // What one of `ranks` tensor-parallel ranks computes: query heads are divided, KV heads too, or repeated
  // when there are fewer of them than ranks. Throws InvalidInput when the heads do not divide evenly.
  ModelShape shard(int ranks) const;
  // Its part of a case string: h=, d= and, where it has them, window= and sinklogit=.
  std::string case_keys() const;
  std::string mask_keys() const; // of it, what follows d=
};

// Throws InvalidInput naming file, line and field.
std::vector<ModelShape> read_model_shapes(const std::filesystem::path& file);
std::vector<ModelShape> load_model_shapes(); // data/model_shapes.csv

// The shapes as a table, one line per model with its case keys, V columns and the heads of a rank on 2, 4
// and 8.
std::string model_shape_table();

} // namespace fmha950::workload
