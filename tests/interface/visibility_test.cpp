// What a row sees, against the formula of DESIGN.md section 2 over every small mask.
#include "interface/visibility.hpp"

#include "tests/support/catch.hpp"
#include <random>
#include <vector>

using namespace fmha950;

namespace {

// The formula: j <= a + right and (j < sink or j >= a - left), a = Lk - Lq + i.
bool formula(const Problem& p, const Request& request, int query, int key) {
  const int a = request.key_length - request.query_length + query;
  if (p.causal && key > a) return false;
  if (!p.window) return true;
  return key <= a + p.window->right && (key < p.sink_tokens || key >= a - p.window->left);
}

void check_row(const Problem& p, const Request& request, int query) {
  const Visibility row = visibility_of(p, request, query);
  const int keys = request.key_length;
  int64_t seen = 0;
  for (int key = 0; key < keys; ++key) {
    if (row.sees(key) != formula(p, request, query, key)) FAIL("key " << key);
    seen += row.sees(key);
  }
  if (row.seen_keys() != seen) FAIL("seen_keys " << row.seen_keys() << ", seen " << seen);
  for (int first = 0; first <= keys; ++first)
    for (int last = first; last <= keys; ++last) {
      bool any = false;
      std::vector<bool> unseen(size_t(keys), false);
      for (int key = first; key < last; ++key) any = any || row.sees(key);
      if (row.sees_any(first, last) != any) FAIL("sees_any of [" << first << ", " << last << ")");
      row.for_each_unseen(first, last, [&](int64_t begin, int64_t end) {
        if (begin < first || end > last || begin >= end) FAIL("range of its own");
        for (int64_t key = begin; key < end; ++key) unseen[size_t(key)] = true;
      });
      for (int key = first; key < last; ++key)
        if (unseen[size_t(key)] == row.sees(key)) FAIL("unseen key " << key);
    }
}

} // namespace

TEST_CASE("visibility: every small mask is the formula, key by key and range by range") {
  for (const bool causal : {false, true})
    for (int left = -1; left <= 4; ++left) // -1: no window
      for (const int right : {0, 1, 3})
        for (const int sinks : {0, 1, 3, 9})
          for (int queries = 1; queries <= 6; ++queries)
            for (int keys = 0; keys <= 7; ++keys) {
              Problem p;
              p.causal = causal;
              if (left >= 0) p.window = Window{left, causal ? 0 : right};
              p.sink_tokens = sinks;
              for (int query = 0; query < queries; ++query) {
                CAPTURE(causal, left, right, sinks, queries, keys, query);
                check_row(p, {queries, keys}, query);
              }
            }
  SUCCEED();
}

TEST_CASE("visibility: hidden keys are left out of what is seen, key by key") {
  Problem p;
  p.causal = true;
  Visibility row = visibility_of(p, {2, 10}, 0); // sees keys 0 to 8
  row.hidden_first = 3, row.hidden_last = 6;
  std::vector<int> seen, unseen(10, 0);
  for (int key = 0; key < 10; ++key)
    if (row.sees(key)) seen.push_back(key);
  CHECK(seen == std::vector<int>{0, 1, 2, 6, 7, 8});
  row.for_each_unseen(0, 10, [&](int64_t begin, int64_t end) {
    for (int64_t key = begin; key < end; ++key) unseen[size_t(key)] = 1;
  });
  CHECK(unseen == std::vector<int>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1});
}

TEST_CASE(
    "visibility: of a tree's keys a node sees those whose bits are set, key by key and range by range") {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const int nodes = 1 + static_cast<int>(random() % 64), keys = nodes + static_cast<int>(random() % 9);
    const int node = static_cast<int>(random() % static_cast<unsigned>(nodes));
    const uint64_t own = uint64_t{1} << node;
    Problem p;
    p.causal = true;
    if (i % 2 == 0) p.window = Window{static_cast<int>(random() % 70), 0};
    p.sink_tokens = static_cast<int>(random() % 4) * 20;
    Visibility row = visibility_of(p, {nodes, keys}, node);
    const Visibility without = row;
    row.tree_begin = keys - nodes;
    row.tree = (((uint64_t{random()} << 32 | random()) & (own - 1)) | own);
    std::vector<bool> seen, unseen(size_t(keys), false);
    int64_t count = 0;
    for (int key = 0; key < keys; ++key) {
      const int other = key - (keys - nodes);
      seen.push_back(without.sees(key) && (other < 0 || (row.tree >> other & 1) != 0));
      count += seen.back();
      if (row.sees(key) != seen.back()) FAIL("key " << key);
      if (seen.back() && !row.sees_any(key, key + 1)) FAIL("sees_any " << key);
    }
    CHECK(row.seen_keys() == count);
    const int first = static_cast<int>(random() % static_cast<unsigned>(keys));
    row.for_each_unseen(first, keys, [&](int64_t begin, int64_t end) {
      if (begin < first || end > keys || begin >= end) FAIL("range of its own");
      for (int64_t key = begin; key < end; ++key) unseen[size_t(key)] = true;
    });
    for (int key = first; key < keys; ++key)
      if (unseen[size_t(key)] == seen[size_t(key)]) FAIL("unseen key " << key);
  }
}
