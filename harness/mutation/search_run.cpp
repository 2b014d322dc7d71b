#include "harness/mutation/search_run.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/mutation/device_workers.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

using nlohmann::json;

namespace {

// Ids, by subject.
std::map<std::string, std::set<std::string>> undecided(const SearchOptions& options,
                                                       const LedgerFolders& folders) {
  const NameFilter filter(options.filter);
  std::map<std::string, std::set<std::string>> found;
  for (const LedgerRow& row : ledger_rows(folders)) {
    if (row.undecided == 0 || (options.pages && !options.pages->contains(row.page))) continue;
    for (const LedgerEntry& entry : ledger_page(row.page, folders).entries)
      if (entry.judgement.verdict == MutantVerdict::undecided &&
          filter.finds(entry.subject + " " + entry.mutant))
        found[entry.subject].insert(entry.mutant);
  }
  return found;
}

std::vector<Mutant> open_mutants(const ListedKernel& kernel, const std::set<std::string>& ids) {
  std::vector<Mutant> open;
  for (Mutant& mutant : mutants_of(hip::load_kernel(kernel.code_object, kernel.kernel)))
    if (!mutant.proved && ids.contains(mutant.id)) open.push_back(std::move(mutant));
  return open;
}

std::string to_line(const KernelSearch& done) {
  json finds = json::array();
  for (const Find& find : done.search.finds)
    finds.push_back({{"problem", find.problem}, {"killed", find.killed}});
  return json{{"kernel", done.kernel.name()}, {"mutants", done.mutants},  {"launched", done.search.launched},
              {"ways", done.search.ways},     {"left", done.search.left}, {"finds", finds}}
             .dump() +
         "\n";
}

void add_line(std::map<std::string, KernelSearch>& searches, const std::string& line) {
  const json value = json::parse(line);
  KernelSearch& done = searches[value.at("kernel")];
  done.mutants = value.at("mutants");
  done.search.launched = value.at("launched");
  done.search.ways = value.at("ways");
  done.search.left = value.at("left").get<std::vector<std::string>>();
  for (const json& find : value.at("finds"))
    done.search.finds.push_back({find.at("problem"), find.at("killed").get<std::vector<std::string>>()});
}

} // namespace

std::vector<KernelSearch> search_all(const SearchOptions& options, const LedgerFolders& folders) {
  require_mutants();
  const auto open = undecided(options, folders);
  std::vector<ListedKernel> kernels;
  for (ListedKernel& kernel : listed_kernels(kernel_list()))
    if (open.contains(kernel.name())) kernels.push_back(std::move(kernel));
  if (kernels.empty())
    throw InvalidInput(
        "search", options.filter,
        "finds no undecided mutant of a kernel of data/mutants/kernels.txt (probe --ledger NAME "
        "lists them first)");
  std::map<std::string, KernelSearch> searches;
  const auto lines = lines_of_workers(kernels.size(), "kernels searched", [&](const WorkerShare& share) {
    std::string answer;
    for (size_t i = share.worker; i < kernels.size(); i += share.count) {
      const std::vector<Mutant> mutants = open_mutants(kernels[i], open.at(kernels[i].name()));
      if (!mutants.empty())
        answer += to_line(
            {kernels[i], mutants.size(), search_problems(kernels[i], mutants, options.seed, options.tries)});
      share.did_one();
    }
    return answer;
  });
  for (const std::string& line : lines) add_line(searches, line);
  std::vector<KernelSearch> result;
  for (ListedKernel& kernel : kernels) {
    const auto done = searches.find(kernel.name());
    if (done == searches.end()) continue;
    kernel.problems.clear();
    for (const Find& find : done->second.search.finds) kernel.problems.push_back(find.problem);
    done->second.kernel = std::move(kernel);
    result.push_back(std::move(done->second));
  }
  return result;
}

std::string as_text(const std::vector<KernelSearch>& searches) {
  std::string text;
  size_t found = 0, killed = 0, mutants = 0;
  for (const KernelSearch& done : searches) {
    const size_t of_this = done.mutants - done.search.left.size();
    found += done.search.finds.size();
    killed += of_this;
    mutants += done.mutants;
    text += lines_of(kernel_list(), done.kernel);
    text += fmt::format("# {}: {} of {} killed, {} problems launched it, {} ways\n", done.kernel.name(),
                        of_this, done.mutants, done.search.launched, done.search.ways);
    for (const std::string& id : done.search.left) text += fmt::format("#   none found for {}\n", id);
  }
  return text + fmt::format("{} problems found, {} of {} undecided mutants killed\n", found, killed, mutants);
}

} // namespace fmha950::harness
