#include "harness/mutation/standing.hpp"

#include "harness/record/digest.hpp"

namespace fmha950::harness {

namespace {

bool is_isa(const LedgerEntry& entry) { return entry.subject.find('/') != std::string::npos; }

// A protection may be missing in several code objects; the source of a source mutant begins with its own.
std::string key_of(const std::string& subject, const std::string& mutant, const std::string& code_object) {
  return subject + "\t" + mutant + "\t" + code_object;
}
std::string key_of(const LedgerEntry& entry) {
  return key_of(entry.subject, entry.mutant,
                is_isa(entry) ? "" : entry.source.substr(0, entry.source.find(':')));
}

const LedgerEntry* find(const std::map<std::string, const LedgerEntry*>& entries, const std::string& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : found->second;
}

} // namespace

std::string problems_digest(const Subject& subject, size_t count) {
  Digest digest;
  for (size_t problem = 0; problem < count; ++problem) digest.add(subject.problem(problem) + "\n");
  return digest.text();
}

Standing::Standing(const PageCodes& codes, const LedgerFolders& folders) {
  for (const LedgerRow& row : ledger_rows(folders))
    if (const auto code = codes.find(row.page); code != codes.end() && code->second == row.code)
      pages_.emplace(row.page, ledger_page(row.page, folders));
  for (const auto& [page, ledger] : pages_) {
    for (const LedgerEntry& entry : ledger.entries) entries_[key_of(entry)] = &entry;
    for (const Control& control : ledger.controls) controls_[control.subject] = &control;
  }
}

size_t Standing::problems_judged(const Subject& subject) const {
  const auto found = controls_.find(subject.name());
  if (found == controls_.end() || !found->second->failure.empty()) return 0;
  const Control& control = *found->second;
  const bool same = control.problems <= subject.problems() &&
                    control.problems_digest == problems_digest(subject, control.problems);
  return same ? control.problems : 0;
}

std::optional<Control> Standing::control(const Subject& subject) const {
  if (problems_judged(subject) != subject.problems()) return std::nullopt;
  return *controls_.at(subject.name());
}

const Judgement* Standing::of_isa_mutant(const std::string& subject, const std::string& mutant) const {
  const LedgerEntry* entry = find(entries_, key_of(subject, mutant, ""));
  return entry ? &entry->judgement : nullptr;
}

const LedgerEntry* Standing::of_source_mutant(const std::string& implementation, const std::string& mutant,
                                              const std::string& code_object) const {
  return find(entries_, key_of(implementation, mutant, code_object));
}

std::vector<Control> Standing::controls(const std::string& implementation) const {
  const auto page = pages_.find(implementation);
  return page == pages_.end() ? std::vector<Control>{} : page->second.controls;
}

} // namespace fmha950::harness
