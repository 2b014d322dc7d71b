#pragma once
// Source mutants: code objects of an implementation with exactly one protection of their sources removed
// (gfx950/mutant.hpp). Each implementation has one list of its mutants, impl_*/mutants.txt; the build puts
// it, and the code objects, into a folder from which they are loaded when they are asked for. A protection
// may be missing in several code objects, one at a time.

#include "interface/hip.hpp"
#include "interface/problem.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

struct SourceMutant {
  std::string implementation; // "prepass"
  std::string name;           // of the protection that is missing
  std::string code_object;    // the variant it stands in for
  std::string op;             // whose kernels are in it; empty: no operator's
  std::string consequence;    // what breaks, in words
  std::filesystem::path file;
};

// FMHA950_MUTANTS_DIR if set, else mutants/ beside the executable's folder.
std::filesystem::path mutant_folder();

// The implementations that have source mutants, built or not.
std::set<std::string> mutated_implementations(const std::filesystem::path& folder = mutant_folder());
// All mutants of `only` these implementations, or of all, by implementation, in the order of their lists. Throws InvalidInput
// for a folder without mutants, for a malformed line, for a mutant of no operator and for a mutant that has not been built.
std::vector<SourceMutant> source_mutants(const std::filesystem::path& folder = mutant_folder(),
                                         const std::optional<std::set<std::string>>& only = {});

// The mutants of one implementation, whose folder holds their list.
std::vector<SourceMutant> mutants_in(const std::filesystem::path& folder);
// The one called `name`, or CODE_OBJECT/NAME where several code objects have one of that name.
// Throws InvalidInput.
SourceMutant mutant_named(const std::filesystem::path& folder, std::string_view name);

// Whether kernels of the problem's operator are in the mutant's code object.
bool concerns(const SourceMutant& mutant, const Problem& problem);

// Bytes of the mutant, for a hip::CodeObjectOverride: while that lives, every plan of the implementation runs
// on the mutant.
std::vector<std::byte> code_of(const SourceMutant& mutant);

} // namespace fmha950::harness
