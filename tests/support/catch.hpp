#pragma once
// Catch2, of version 2 (Debian 12, Ubuntu 22.04) or 3 (later ones), under the names of version 2.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace Catch {
inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::StartsWith;
using Matchers::VectorContains;
} // namespace Catch
#else
#include <catch2/catch.hpp>
#endif
