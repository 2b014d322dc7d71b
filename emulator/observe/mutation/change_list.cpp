#include "emulator/observe/mutation/change_list.hpp"

#include "emulator/machine/memory_queue.hpp"
#include "emulator/observe/mutation/internal_instruction.hpp"
#include "emulator/observe/mutation/mutation.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fmha950::observe {
namespace {

std::optional<uint64_t> hexadecimal(std::string_view digits) { // without 0x
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return code == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

// What stands behind KERNEL+0xOFFSET: holds a "+0x" itself in no form, and compilers' symbols hold no slash.
std::optional<ListedChange> parse_change(std::string_view id) {
  const size_t plus = id.rfind("+0x");
  if (plus == id.npos || plus == 0) return {};
  const size_t colon = id.find(':', plus);
  if (colon == id.npos) return {};
  const auto offset = hexadecimal(id.substr(plus + 3, colon - plus - 3));
  if (!offset) return {};
  const size_t slash = std::min(id.find('/'), plus);
  if (slash == 0 || slash + 1 == plus) return {};
  return ListedChange{std::string(id), std::string(id.substr(0, slash)),
                      slash < plus ? std::string(id.substr(slash + 1, plus - slash - 1)) : "", *offset,
                      std::string(id.substr(colon + 1))};
}

// "" or what would be right.
std::string error_in(const std::string& change) {
  if (tightened_in(change)) return {};
  if (const auto insertion = insertion_in(change)) {
    std::string error;
    parse_internal(insertion->instructions, error);
    return error;
  }
  if (is_change_of_mutants(change)) return {};
  return fmt::format(
      "CHANGE must be one of {}, vmcnt=N, lgkmcnt=N, before:, after: or edge(0xFROM): with instructions",
      fmt::join(changes_of_mutants(), ", "));
}

} // namespace

std::optional<Insertion> insertion_in(std::string_view change) {
  constexpr std::string_view before = "before:", after = "after:", edge = "edge(0x";
  if (change.starts_with(before))
    return Insertion{Insertion::Where::before, 0, std::string(change.substr(before.size()))};
  if (change.starts_with(after))
    return Insertion{Insertion::Where::after, 0, std::string(change.substr(after.size()))};
  const size_t close = change.find("):");
  if (!change.starts_with(edge) || close == change.npos) return {};
  const auto from = hexadecimal(change.substr(edge.size(), close - edge.size()));
  if (!from) return {};
  return Insertion{Insertion::Where::edge, *from, std::string(change.substr(close + 2))};
}

std::optional<Tightened> tightened_in(std::string_view change) {
  constexpr std::string_view vmcnt = "vmcnt=", lgkmcnt = "lgkmcnt=";
  Tightened tightened{.is_vmcnt = change.starts_with(vmcnt), .count = 0};
  if (!tightened.is_vmcnt && !change.starts_with(lgkmcnt)) return {};
  change.remove_prefix(tightened.is_vmcnt ? vmcnt.size() : lgkmcnt.size());
  const auto [end, code] = std::from_chars(change.data(), change.data() + change.size(), tightened.count);
  const int limit =
      tightened.is_vmcnt ? machine::MemoryQueues::vmcnt_max : machine::MemoryQueues::lgkmcnt_max;
  if (code != std::errc() || end != change.data() + change.size() || tightened.count < 0 ||
      tightened.count >= limit)
    return {};
  return tightened;
}

std::vector<ListedChange> parse_changes(std::string_view text, std::string& error) {
  std::vector<ListedChange> changes;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view id = text.substr(begin, end - begin);
    const auto change = parse_change(id);
    const std::string wrong = change ? error_in(change->change)
                                     : "must be KERNEL+0xOFFSET:CHANGE or KERNEL/FUNCTION+0xOFFSET:CHANGE";
    if (!wrong.empty()) {
      error = fmt::format("'{}': {}", id, wrong);
      return {};
    }
    if (!changes.empty() && changes.front().kernel != change->kernel) {
      error = fmt::format("'{}': must be of kernel {}, as the change before it", id, changes.front().kernel);
      return {};
    }
    changes.push_back(*change);
    begin = end + 1;
  }
  return changes;
}

} // namespace fmha950::observe
