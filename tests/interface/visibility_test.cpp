// What a row sees, against the formula of DESIGN.md section 2 over every small mask.
#include "interface/visibility.hpp"

#include "tests/support/catch.hpp"
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
