#include "harness/cure/listed_protection.hpp"

#include <sstream>

namespace fmha950::harness::cure {

std::vector<ListedProtection> listed_protections(const hip::Kernel& kernel, const std::string& changes,
                                                 Sources& sources, std::optional<uint64_t> only) {
  const char* text = nullptr;
  hip::check(hip::api().Protections(kernel.function, changes.c_str(), only ? &*only : nullptr, &text),
             "fmha950Protections");
  std::vector<ListedProtection> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    ListedProtection& one = all.emplace_back();
    std::string offset, depth, path;
    for (std::string* field : {&offset, &one.field, &one.source, &path, &one.calls, &one.instruction, &depth,
                               &one.what, &one.enough, &one.change, &one.verdict, &one.reason})
      std::getline(fields, *field, '\t');
    one.offset = std::stoull(offset, nullptr, 16);
    one.loop_depth = std::stoi(depth);
    if (const auto statement = sources.statement(path))
      one.author = asks_for(*statement, one.field) ? ListedProtection::Author::hand
                                                   : ListedProtection::Author::compiler;
  }
  return all;
}

} // namespace fmha950::harness::cure
