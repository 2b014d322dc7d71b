#include "workload/model_shapes.hpp"

#include "interface/error.hpp"
#include "workload/csv_table.hpp"
#include "workload/data_directory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fmha950::workload {
namespace {

constexpr int64_t most_heads = 1024, most_columns = 4096, most_tokens = 1 << 20;

bool shards_evenly(const ModelShape& shape, int ranks) {
  const bool kv_even = shape.kv_heads % ranks == 0 || ranks % shape.kv_heads == 0;
  return ranks >= 1 && shape.query_heads % ranks == 0 && kv_even;
}

} // namespace

ModelShape ModelShape::shard(int ranks) const {
  if (!shards_evenly(*this, ranks))
    throw InvalidInput("tensor-parallel ranks", std::to_string(ranks),
                       fmt::format("must divide the {} query heads and divide or be a multiple of the {} KV "
                                   "heads of {}",
                                   query_heads, kv_heads, model));
  ModelShape part = *this;
  part.query_heads = query_heads / ranks;
  part.kv_heads = std::max(1, kv_heads / ranks);
  return part;
}

std::string ModelShape::case_keys() const {
  return fmt::format("h={}:{}/d={}", query_heads, kv_heads, head_dim) + mask_keys();
}

std::string ModelShape::mask_keys() const {
  std::string keys;
  if (window) keys += fmt::format("/window={}:0", *window - 1);
  if (sink) keys += "/sinklogit=1";
  return keys;
}

std::vector<ModelShape> read_model_shapes(const std::filesystem::path& file) {
  const CsvTable table(file);
  std::vector<ModelShape> shapes;
  for (size_t i = 0; i < table.rows(); ++i) {
    ModelShape shape;
    shape.model = table.text(i, "model");
    shape.layers = static_cast<int>(table.integer(i, "layers", 1, most_heads));
    shape.query_heads = static_cast<int>(table.integer(i, "q_heads", 1, most_heads));
    shape.kv_heads = static_cast<int>(table.integer(i, "kv_heads", 1, shape.query_heads));
    shape.head_dim = static_cast<int>(table.integer(i, "head_dim", 1, most_columns));
    shape.value_head_dim = static_cast<int>(table.integer(i, "v_head_dim", 1, most_columns));
    if (!table.text(i, "window").empty())
      shape.window = static_cast<int>(table.integer(i, "window", 1, most_tokens));
    const std::string& sink = table.text(i, "sink");
    if (sink != "yes" && sink != "no") throw InvalidInput(table.place(i, "sink"), sink, "must be yes or no");
    shape.sink = sink == "yes";
    shape.sparse = !table.text(i, "sparse_topk").empty();
    shape.notes = table.text(i, "notes");
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::vector<ModelShape> load_model_shapes() { return read_model_shapes(data_file("model_shapes.csv")); }

std::string model_shape_table() {
  std::string text = fmt::format("{:<28} {:>7} {:<40} {:>4} {:>7} {:>7} {:>7}\n", "model", "layers",
                                 "case keys", "V d", "TP2", "TP4", "TP8");
  for (const ModelShape& shape : load_model_shapes()) {
    text += fmt::format("{:<28} {:>7} {:<40} {:>4}", shape.model, shape.layers, shape.case_keys(),
                        shape.value_head_dim);
    for (int ranks : {2, 4, 8}) {
      const bool even = shards_evenly(shape, ranks);
      const ModelShape part = even ? shape.shard(ranks) : shape;
      text += fmt::format(" {:>7}", even ? fmt::format("{}:{}", part.query_heads, part.kv_heads) : "-");
    }
    text += '\n';
  }
  return text;
}

} // namespace fmha950::workload
