#include "harness/mutation/kernel_list.hpp"

#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace fmha950::harness {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_in(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Nothing for a comment.
std::optional<ListedKernel> read(const fs::path& file, const std::string& line) {
  std::istringstream fields(line);
  ListedKernel kernel;
  if (!(fields >> kernel.implementation) || kernel.implementation[0] == '#') return std::nullopt;
  if (!(fields >> kernel.code_object >> kernel.kernel >> kernel.problems.emplace_back()))
    throw InvalidInput(file.string(), line, "must be implementation, code object, kernel, problem");
  return kernel;
}

std::optional<size_t> last_line_of(const fs::path& file, const std::vector<std::string>& lines,
                                   const std::string& name) {
  std::optional<size_t> last;
  for (size_t i = 0; i < lines.size(); ++i)
    if (const auto kernel = read(file, lines[i]); kernel && kernel->name() == name) last = i;
  return last;
}

} // namespace

PlacedCase placed_case(const std::string& problem) {
  const size_t end = problem.find('!');
  if (end == problem.npos) return {problem, {}};
  const std::string word = problem.substr(end + 1);
  uint64_t before = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), before);
  if (error != std::errc() || rest != word.data() + word.size())
    throw InvalidInput("problem", problem, "must have a number of bytes behind !");
  return {problem.substr(0, end), PoolPlace{.line = uint64_t{1} << 32, .before = before}};
}

fs::path kernel_list() { return workload::data_file("mutants/kernels.txt"); }

std::vector<ListedKernel> listed_kernels(const fs::path& file) {
  std::vector<ListedKernel> kernels;
  for (const std::string& line : lines_in(file)) {
    auto kernel = read(file, line);
    if (!kernel) continue;
    const auto known = std::ranges::find(kernels, kernel->name(), &ListedKernel::name);
    if (known == kernels.end())
      kernels.push_back(std::move(*kernel));
    else if (known + 1 == kernels.end())
      known->problems.push_back(kernel->problems.front());
    else // else its mutants would be judged twice, each time on a part of the problems
      throw InvalidInput(file.string(), line, "must follow the other problems of " + kernel->name());
  }
  return kernels;
}

std::vector<ListedKernel> all_kernels() {
  std::vector<ListedKernel> kernels = listed_kernels(kernel_list());
  for (const auto& implementation : implementations())
    for (const MutantProblems& of : implementation->origin().mutants)
      kernels.push_back({std::string(implementation->name()), of.code_object, of.kernel, of.cases});
  return kernels;
}

std::string lines_of(const fs::path& file, const ListedKernel& with_problems) {
  const auto lines = lines_in(file);
  const auto last = last_line_of(file, lines, with_problems.name());
  const std::string columns = last ? lines[*last].substr(0, lines[*last].rfind(' ') + 1)
                                   : with_problems.implementation + "  " + with_problems.code_object + "  " +
                                         with_problems.kernel + "  ";
  std::string text;
  for (const std::string& problem : with_problems.problems) text += columns + problem + "\n";
  return text;
}

void add_problems(const fs::path& file, const ListedKernel& with_problems, const std::string& comment) {
  const auto lines = lines_in(file);
  const std::string added = "# " + comment + "\n" + lines_of(file, with_problems);
  const auto last = last_line_of(file, lines, with_problems.name());
  std::ofstream out(file);
  for (size_t i = 0; i < lines.size(); ++i) out << lines[i] << '\n' << (last == i ? added : "");
  if (!last) out << added;
  if (!out.flush()) throw std::runtime_error(file.string() + ": cannot be written");
}

} // namespace fmha950::harness
