#pragma once
// The mutants of one code object or implementation as a file: data/mutants/ledger/NAME.csv, a line for every
// mutant and for every unmutated kernel.

#include "harness/mutation/ledger.hpp"

#include <filesystem>

namespace fmha950::harness {

// Of texts of several lines the first is kept (first_line).
// Throws std::runtime_error when it cannot be written.
void write_ledger(const std::filesystem::path& file, const Ledger& ledger);
// Throws InvalidInput, which names file, line and field, for what write_ledger does not write.
Ledger read_ledger(const std::filesystem::path& file);

} // namespace fmha950::harness
