#pragma once
// Where the findings of the hazard checks go: FMHA950_REPORT's file (JSON lines, or SARIF when it is named
// .sarif; %p in its name: the process that writes), else text on stderr; and the extension that programs ask.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950::hip {

// The text says why not, "" when all is well.
std::string hazards_to_file(const std::string& path);
std::string suppress_from_file(const std::string& path);
std::string baseline_from_file(const std::string& path); // findings that were known before
void tell_accepted_hazards(bool told);                   // those of both, marked, instead of leaving them out

void publish_hazards(); // after a launch
void clear_hazards();
size_t errors_found(); // findings of severity error that are neither accepted nor known
std::optional<std::string> hazards_as(std::string_view format);

} // namespace fmha950::hip
