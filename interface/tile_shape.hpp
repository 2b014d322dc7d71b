#pragma once

namespace fmha950 {

struct TileShape { // of scores
  int rows = 0;    // queries times heads of a KV head, of one workgroup; of sparse_prefill heads of a token
  int keys = 0;
};

} // namespace fmha950
