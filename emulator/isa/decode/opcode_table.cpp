#include "emulator/isa/decode/opcode_table.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <unordered_map>

namespace fmha950::isa {
namespace {

#define FMHA950_LIST_FAMILY(name) {#name, rows_##name},
std::vector<Family> list_families(Simd simd) {
  switch (simd) {
  case Simd::avx512_vbmi: // no rows of its own (table())
  case Simd::avx512: {
    using namespace simd_avx512;
    return {FMHA950_FAMILIES(FMHA950_LIST_FAMILY)};
  }
  case Simd::avx2: {
    using namespace simd_avx2;
    return {FMHA950_FAMILIES(FMHA950_LIST_FAMILY)};
  }
  case Simd::baseline: break;
  }
  using namespace simd_baseline;
  return {FMHA950_FAMILIES(FMHA950_LIST_FAMILY)};
}
#undef FMHA950_LIST_FAMILY

struct Table {
  explicit Table(Simd simd) : families(list_families(simd)) {
    for (const Family& family : families)
      for (size_t i = 0; i < family.rows.count; ++i)
        rows.emplace(family.rows.first[i].mnemonic, &family.rows.first[i]);
  }
  std::vector<Family> families;
  std::unordered_map<std::string_view, const Row*> rows;
};

const Table& table(Simd simd) {
  static const Table* const tables =
      new Table[3]{Table(Simd::baseline), Table(Simd::avx2), Table(Simd::avx512)};
  // avx512_vbmi has avx512's rows, which ask permutes_bytes().
  return tables[static_cast<int>(std::min(simd, Simd::avx512))];
}

std::atomic<Simd>& selected() {
  static std::atomic<Simd> value = widest_simd();
  return value;
}

} // namespace

Simd widest_simd() {
  // What -march=x86-64-v4 and -v3 may use beyond each other.
  static const Simd widest = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
      return __builtin_cpu_supports("avx512vbmi") ? Simd::avx512_vbmi : Simd::avx512;
    return __builtin_cpu_supports("x86-64-v3") ? Simd::avx2 : Simd::baseline;
  }();
  return widest;
}

Simd simd() { return selected(); }
bool permutes_bytes() { return selected().load(std::memory_order_relaxed) == Simd::avx512_vbmi; }

bool host_runs([[maybe_unused]] std::string& error) {
#ifdef FMHA950_ONE_WIDTH // cmake/Widths.cmake
  if (!__builtin_cpu_supports(FMHA950_ONE_WIDTH)) {
    error = "the device was built for " FMHA950_ONE_WIDTH " only (FMHA950_WIDTHS), which this host's "
            "processor does not have";
    return false;
  }
#endif
  return true;
}

bool select_simd(std::string_view name, std::string& error) {
  constexpr std::string_view names[] = {"baseline", "avx2", "avx512", "avx512_vbmi"};
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) {
    error = fmt::format("simd = {}: must be avx512_vbmi, avx512, avx2 or baseline", name);
    return false;
  }
  const auto wanted = static_cast<Simd>(found - std::begin(names));
  if (wanted > widest_simd()) {
    error = fmt::format("simd = {}: this host's processor does not have it", name);
    return false;
  }
  selected() = wanted;
  return true;
}

const std::vector<Family>& families() { return table(simd()).families; }

const Row* find_row(std::string_view mnemonic) {
  const Table& in_use = table(simd());
  const auto found = in_use.rows.find(mnemonic);
  return found == in_use.rows.end() ? nullptr : found->second;
}

} // namespace fmha950::isa
