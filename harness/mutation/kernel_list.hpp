#pragma once
// data/mutants/kernels.txt: the kernels of implementations whose ISA mutants are judged, and on which problems.

#include "interface/tensors.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

struct ListedKernel {
  std::string implementation, code_object, kernel;
  std::vector<std::string> problems; // case strings, perhaps with a place
  std::string name() const { return code_object + "/" + kernel; }
};

// A problem CASE!BYTES has pools that begin so many bytes in front of a multiple of 4 GiB. Throws InvalidInput for another word.
struct PlacedCase {
  std::string text; // the case string
  std::optional<PoolPlace> pools;
};
PlacedCase placed_case(const std::string& problem);

std::filesystem::path kernel_list();
// In the order of the file. Throws InvalidInput for a line that is none.
std::vector<ListedKernel> listed_kernels(const std::filesystem::path& file);

// Those of the file, and those of implementations that are no part of this program, whose pages have their names.
std::vector<ListedKernel> all_kernels();

// The lines of these problems as the file has them, in the columns of the kernel's last one.
std::string lines_of(const std::filesystem::path& file, const ListedKernel& with_problems);
// Adds them behind the kernel's other problems, `comment` before them: those judged before stay the first.
// Throws std::runtime_error when the file cannot be written.
void add_problems(const std::filesystem::path& file, const ListedKernel& with_problems,
                  const std::string& comment);

} // namespace fmha950::harness
