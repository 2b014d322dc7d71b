#include "emulator/memory/allocation_origin.hpp"

#include <mutex>
#include <unordered_map>

namespace fmha950::machine {
namespace {

struct Origins {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::string> by_begin;
};
Origins& origins() {
  static Origins& instance = *new Origins; // allocations outlive static objects
  return instance;
}

} // namespace

void set_origin(uint64_t begin, std::string origin) {
  const std::lock_guard lock(origins().mutex);
  origins().by_begin[begin] = std::move(origin);
}

std::string origin_of(uint64_t begin) {
  const std::lock_guard lock(origins().mutex);
  const auto found = origins().by_begin.find(begin);
  return found == origins().by_begin.end() ? "" : found->second;
}

void forget_origin(uint64_t begin) {
  const std::lock_guard lock(origins().mutex);
  origins().by_begin.erase(begin);
}

} // namespace fmha950::machine
