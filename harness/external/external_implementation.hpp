#pragma once
// Manifests as implementations, `external:NAME`.

#include <string>
#include <vector>

namespace fmha950::harness::external {

// Registers an implementation for each manifest (*.json) of the folders, and of those that FMHA950_EXTERNAL names, separated
// by colons. A folder twice counts once. Throws InvalidInput for a folder with neither manifests nor rows.csv, a manifest
// with a mistake, or a name that another manifest has.
void register_external(const std::vector<std::string>& folders);

} // namespace fmha950::harness::external
