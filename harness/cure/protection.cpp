#include "harness/cure/protection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace fmha950::harness::cure {
namespace {

constexpr int states_of_nop = 16; // of one, at most

void add_nops(int states, std::vector<std::string>& parts) {
  for (; states > 0; states -= states_of_nop)
    parts.push_back(fmt::format("s_nop {}", std::min(states, states_of_nop) - 1));
}

} // namespace

std::string Protection::text() const {
  std::vector<std::string> parts;
  if (waits())
    parts.push_back(fmt::format("s_waitcnt{}{}", vmcnt ? fmt::format(" vmcnt({})", *vmcnt) : "",
                                lgkmcnt ? fmt::format(" lgkmcnt({})", *lgkmcnt) : ""));
  if (barrier) parts.emplace_back("s_barrier");
  add_nops(states, parts);
  return fmt::format("{}", fmt::join(parts, ";"));
}

std::string Protection::id(const std::string& kernel) const {
  if (!tightens)
    return fmt::format("{}:{}:{}", at.id(kernel), from ? fmt::format("edge({:#x})", *from) : "before",
                       text());
  std::vector<std::string> fields;
  if (vmcnt) fields.push_back(fmt::format("{}:vmcnt={}", at.id(kernel), *vmcnt));
  if (lgkmcnt) fields.push_back(fmt::format("{}:lgkmcnt={}", at.id(kernel), *lgkmcnt));
  return fmt::format("{}", fmt::join(fields, ","));
}

bool Protection::operator==(const Protection& other) const { return id("") == other.id(""); }

size_t changes_in(const std::vector<Protection>& protections) {
  std::set<std::string> places;
  for (const Protection& protection : protections) {
    const std::string place = protection.copy_of          ? protection.copy_of->text()
                              : protection.source.empty() ? protection.at.text()
                                                          : protection.source;
    places.insert(place + " " + protection.text());
  }
  return places.size();
}

std::string changes(const std::string& kernel, const std::string& base,
                    const std::vector<Protection>& protections) {
  std::string text = base;
  for (const Protection& protection : protections) text += (text.empty() ? "" : ",") + protection.id(kernel);
  return text;
}

} // namespace fmha950::harness::cure
