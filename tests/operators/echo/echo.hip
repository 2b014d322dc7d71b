// One workgroup copies one query row.
#include "gfx950/kernel.hpp"
#include "tests/operators/echo/echo_arguments.hpp"

using namespace fmha950;

FMHA950_KERNEL(64, 1) void echo_rows(echo::Arguments arguments) {
  const int row = static_cast<int>(gfx950::workgroup_id_x());
  int request = 0;
  while (arguments.q_indptr[request + 1] <= row) ++request;
  const int key = arguments.k_indptr[request] + arguments.key;
  const bool exists = key < arguments.k_indptr[request + 1];
  const int heads_per_kv_head = arguments.query_heads / arguments.kv_heads,
            elements = arguments.query_heads * arguments.head_dim;
  for (int i = static_cast<int>(gfx950::lane_id()); i < elements; i += gfx950::wave_lanes) {
    const int kv_head = i / arguments.head_dim / heads_per_kv_head, column = i % arguments.head_dim;
    const int from = (key * arguments.kv_heads + kv_head) * arguments.head_dim + column;
    arguments.output[row * elements + i] = exists ? arguments.values[from] : 0;
  }
}
