#pragma once
// The names by which the enumerations of problem.hpp appear in case strings, manifests, messages and results.

#include "interface/problem.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace fmha950 {

// In the order of the enumerators. Those of an operator's own enumerations are in its folder.
template <class Enumeration> std::span<const std::string_view> names_of();
template <> std::span<const std::string_view> names_of<ElementType>();
template <> std::span<const std::string_view> names_of<PageTable>();
template <> std::span<const std::string_view> names_of<KvLayout>();
template <> std::span<const std::string_view> names_of<Quantisation>();
template <> std::span<const std::string_view> names_of<BatchMode>();
template <> std::span<const std::string_view> names_of<PageOrder>();

template <class Enumeration>
  requires std::is_enum_v<Enumeration>
std::string_view name_of(Enumeration value) {
  return names_of<Enumeration>()[static_cast<size_t>(value)];
}

template <class Enumeration> std::optional<Enumeration> from_name(std::string_view name) {
  const auto names = names_of<Enumeration>();
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Enumeration>(i);
  return std::nullopt;
}

} // namespace fmha950
