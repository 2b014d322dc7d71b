#pragma once
// The sums from which the audit judges (DESIGN.md section 7; docs/audit.md explains it with a picture).
// Rounding errors are noise, mistakes are not: the error e of the judged rows is regressed on what each part
// of the keys contributes to a row, c. A part is a tile, a page, a key, a score scale, ...; its contribution
// is c = sum p_k v_k over its keys k; that of a score scale is c = sum p_k s_k (v_k - o).
//
// Least squares, weighted by what a row's noise leaves: with w = 1 / variance of the row's elements
//
//   share = sum w <e, c> / sum w <c, c>    by how much the part counts too much: 0.1 for a descale 10 % too
//                                          large, -1 for a key that was left out
//   sigma = sqrt(information + own) / information,   information = sum w <c, c>
//
// Columns are first divided by their RMS over the keys' values, so that an outlier channel is no louder than
// others, and e and c lose their component along the row's output o, which is a part of its own. Sums of
// parts may be added: those of two parts of keys are not those of their union, but those of the same part
// over other rows, requests or heads are.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmha950 {

struct PartSums {
  double information = 0;
  double own = 0;            // what the rounding of the part's own P adds to `information` in the variance
  double floor = 0;          // times `information`: the largest share that rounding alone can make of a part
  double plain = 0, got = 0; // sum w <e, c> of the plain implementation and of the kernel

  PartSums& operator+=(const PartSums& other) {
    information += other.information;
    own += other.own;
    floor += other.floor;
    plain += other.plain;
    got += other.got;
    return *this;
  }
};

// The same of the LSE's error, a number per row, on the weight x of a part in the row: x = sum p_k, of a
// score scale sum p_k s_k. A constant offset is a part of its own, so these keep what a line through two
// unknowns needs.
struct LseSums {
  double square = 0, first = 0; // sum w x^2, sum w x
  double floor = 0;             // sum w |x| times what roundings may do to all rows alike
  double plain = 0, got = 0;    // sum w x e

  LseSums& operator+=(const LseSums& other) {
    square += other.square;
    first += other.first;
    floor += other.floor;
    plain += other.plain;
    got += other.got;
    return *this;
  }
};

// The keys that the parts of a list consist of. `values`: a key's V. `scores`: the scale of its scores.
enum class PartKind : uint8_t {
  all_values,  // along o: all of V too much
  all_scores,  // all scores times 1 + share
  segment,     // old tokens, chunk; of sparse_prefill: rows of the pool, rows of the chunk
  tile,        // 64 keys
  page,        // of the page table, where it is neither one key nor a tile
  key,         // one key
  tile_scores, // where K has a descale of its own per page or block
  page_scores,
  block_values, // MX: 32 keys of one column
  block_scores, // MX: 64 keys, 32 columns of K
  edge,         // the key at an edge of a row's mask (enum Edge)
};

// Keys at the edges of what a row sees. Each row has its own: a part over all rows.
enum class Edge : uint8_t {
  last_visible,
  behind_last, // the first that is hidden: causal diagonal, right side of a window
  first_of_window,
  before_window, // hidden
  last_sink,
  behind_sinks, // hidden
};
inline constexpr int edges = 6;

// Consecutive parts of the same number of keys (of segments: any), and where `columns` > 1 as many parts for
// each range of keys.
struct PartList {
  PartKind kind = PartKind::tile;
  std::vector<int> ends; // of the ranges of keys: [0, ends[0]), [ends[0], ends[1]) ...
  int columns = 1;
  std::vector<PartSums> sums; // [ends.size(), columns]
  std::vector<LseSums> lse;   // [ends.size()], or empty

  int first_key(size_t range) const { return range == 0 ? 0 : ends[range - 1]; }
};

// Rows of about the same noise: the power of two of their standard deviation.
struct TileBucket {
  int exponent = 0;
  PartList tiles;
};

// Whose keys are audited: rows that share them, those of a request and KV head, or of a token of sparse_prefill.
struct AuditOwner {
  int request = 0, kv_head = 0; // of sparse_prefill: the token, 0
  int64_t rows = 0;             // query rows times heads
  int keys = 0;                 // those of the request, or listed by the token
  std::vector<TileBucket> buckets;
  std::vector<PartList> lists;     // of all kinds but tile
  std::vector<float> column_scale; // RMS of each column of the values
  LseSums lse_offset;              // of x = 1
  // The plain implementation's errors across the directions that are taken out, each row's of length 1: their
  // sum, and of how many rows.
  std::vector<double> sum_of_errors;
  double erring_rows = 0;

  // How many rows have the same rounding errors, on the average; 1 where no more than chance would make of
  // rows that have nothing in common. Rows of the same Q and lists are as good as one.
  double rows_alike() const;
};

// The error that a right result has in a row: a random vector across o, and a share of o, random and not.
struct RowNoise {
  double variance = 0; // of an element of the output, on the average over columns
  double across = 0;   // of an element over its column's scale, without the component along o
  double along = 0;    // of the share by which the row is too long
  double common = 0;   // of that share, what roundings of P that all point the same way may make, at most
  // The error across o: its variance squared, over the sum of squares of the variances of its parts. `terms`: the parts
  // are keys. `directions`: the parts are components in the error's own basis; there are fewer than columns where values
  // are alike.
  double terms = 0, directions = 0;
  double lse_variance = 0;

  // How many independent numbers the error across o is.
  double freedom() const { return 1 / (1 / terms + 1 / directions); }
};

// How much of it is held at a time. The oracle keeps to these limits; what a case takes of memory follows from them.
namespace audit_limits {
inline constexpr size_t fewest_rows = 8; // of a chunk: rows that a thread looks at together
inline constexpr size_t most_scores = size_t{1}
                                      << 22; // of a chunk, rows times keys, unless it has the fewest rows
inline constexpr int64_t most_kept = int64_t{1} << 26; // numbers of an owner's keys and values, fp32
} // namespace audit_limits

struct AuditSums {
  std::vector<RowNoise> noise; // [rows, Hq]
  std::vector<AuditOwner> owners;
};

} // namespace fmha950
