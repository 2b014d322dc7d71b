#include "emulator/observe/report/hazard.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace fmha950::observe {
namespace {

constexpr const char* names[] = {"register_in_flight", "lds_order",     "memory_order", "visibility",
                                 "uninitialised",      "out_of_bounds", "misaligned",   "wait_states",
                                 "barrier_divergence", "runaway",       "errata",       "fault"};
static_assert(std::size(names) == hazard_classes);
constexpr const char* severities[] = {"error", "warning", "note"};

} // namespace

const char* name_of(HazardClass type) { return names[static_cast<int>(type)]; }
const char* name_of(Severity severity) { return severities[static_cast<int>(severity)]; }

bool parse_checks(std::string_view text, uint32_t& checks, std::string& error) {
  uint32_t parsed = 0;
  if (text != "none")
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view name = text.substr(begin, end - begin);
      uint32_t bits = name == "all" ? all_checks : name == "errors" ? errors_only : 0;
      for (int i = 0; i < hazard_classes; ++i)
        if (name == names[i]) bits = 1u << i;
      if (bits == 0) {
        error =
            fmt::format("must be all, none or a comma-separated list of {}, errors", fmt::join(names, ", "));
        return false;
      }
      parsed |= bits;
      begin = end + 1;
    }
  checks = parsed == errors_only ? all_checks | errors_only : parsed;
  return true;
}

} // namespace fmha950::observe
