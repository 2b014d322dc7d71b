#include "harness/judge/verdict.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>

namespace fmha950::harness {

namespace {

constexpr size_t window_bytes = size_t{16} << 20; // a 10 GB pool is not brought back at once

struct Owner { // of a slot: the first request that names it
  int request = 0, token = 0;
  bool appended = false;
};

using Owners = std::unordered_map<int64_t, Owner>; // by page * page_size + slot

Owners owners_of(const Problem& problem, const Tensors& tensors) {
  Owners owners;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    for (int token = 0; token < request.key_length; ++token) {
      const int64_t page = page_of(problem, tensors, r, token);
      owners.try_emplace(page * problem.page_size + token % problem.page_size,
                         Owner{r, token, token >= request.key_length - request.query_length});
    }
  }
  return owners;
}

class PoolCheck {
 public:
  PoolCheck(const Problem& problem, const Tensors& tensors, CacheCheck& result)
      : problem_(problem), tensors_(tensors), result_(result) {}

  // `before`: what is right, too.
  void check(const char* name, const Tensor& expected, const hip::Buffer& cache, const Tensor* before) {
    std::vector<std::byte> window(std::min(window_bytes, expected.bytes()));
    for (size_t begin = 0; begin < expected.bytes(); begin += window.size()) {
      const size_t bytes = std::min(window.size(), expected.bytes() - begin);
      cache.download(window.data(), bytes, begin);
      if (std::memcmp(window.data(), expected.data() + begin, bytes) == 0) continue;
      for (size_t i = 0; i < bytes; ++i)
        if (window[i] != expected.data()[begin + i] && (!before || window[i] != before->data()[begin + i]))
          add(name, static_cast<int64_t>(begin + i), window[i], expected.data()[begin + i]);
    }
    result_.bytes += static_cast<int64_t>(expected.bytes());
    result_.appended += problem_.total_queries() * problem_.kv_heads * problem_.head_dim;
  }

 private:
  void add(const char* name, int64_t index, std::byte found, std::byte right) {
    if (owners_.empty()) owners_ = owners_of(problem_, tensors_);
    const int64_t column = index % problem_.head_dim, head = index / problem_.head_dim % problem_.kv_heads;
    const int64_t place = index / problem_.head_dim / problem_.kv_heads; // of the slot
    const auto owner = owners_.find(place);
    const bool appended = owner != owners_.end() && owner->second.appended;
    std::string& first = appended ? result_.first_wrong : result_.first_changed;
    ++(appended ? result_.wrong : result_.changed);
    if (!first.empty()) return;
    std::string whose = "a slot of no request";
    if (owner != owners_.end())
      whose = fmt::format("{} {} of request {}", appended ? "token" : "old token", owner->second.token,
                          owner->second.request);
    first = fmt::format("{} at {} (page {}, slot {}), head {}, column {}: {:#04x}, must be {:#04x}", name,
                        whose, place / problem_.page_size, place % problem_.page_size, head, column,
                        std::to_integer<int>(found), std::to_integer<int>(right));
  }

  const Problem& problem_;
  const Tensors& tensors_;
  CacheCheck& result_;
  Owners owners_;
};

} // namespace

std::string CacheCheck::reason() const {
  std::string text;
  if (wrong > 0)
    text = fmt::format("cache: {} of {} appended bytes wrong, first {}", wrong, appended, first_wrong);
  if (changed > 0)
    text += fmt::format("{}: {} bytes changed outside the chunk, first {}",
                        text.empty() ? "cache" : "; cache", changed, first_changed);
  return text;
}

CacheCheck check_cache(const Problem& problem, const Tensors& before, const Cache& expected,
                       const DeviceCache& found, bool whole) {
  CacheCheck result;
  PoolCheck pools(problem, before, result);
  pools.check("K", expected.k, found.k(), whole ? nullptr : &before.k_pool);
  pools.check("V", expected.v, found.v(), whole ? nullptr : &before.v_pool);
  return result;
}

} // namespace fmha950::harness
