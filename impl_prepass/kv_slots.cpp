#include "impl_prepass/kv_slots.hpp"

#include <unordered_map>

namespace fmha950::prepass {

KvSlots assign_slots(const Problem& problem, const Tensors& tensors) {
  KvSlots result;
  result.begin.push_back(0);
  std::unordered_map<int32_t, int32_t> slot_of_page;
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    for (int token = 0; token < problem.requests[request].key_length; token += problem.page_size) {
      const int32_t page = page_of(problem, tensors, request, token);
      const auto [entry, is_new] = slot_of_page.try_emplace(page, static_cast<int32_t>(result.pages.size()));
      if (is_new) result.pages.push_back(page);
      result.slots.push_back(entry->second);
    }
    result.begin.push_back(static_cast<int32_t>(result.slots.size()));
  }
  return result;
}

} // namespace fmha950::prepass
