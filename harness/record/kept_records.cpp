#include "harness/record/kept_records.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;

std::string identity_of(const Json& record) {
  Json identity = Json::array();
  for (const char* key : {"schema", "case", "probe", "requested", "asked", "environment"})
    identity.push_back(record.contains(key) ? record.at(key) : Json());
  // Who commits has built nothing else: `build` and `kernels` say what code it was.
  if (Json& environment = identity.back(); environment.is_object())
    for (const char* key : {"commit", "committed"}) environment.erase(key);
  return identity.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

KeptRecords::KeptRecords(const std::string& field, const std::string& file,
                         const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) try {
      Json record = Json::parse(lines[i]);
      if (outcome_of(record).kind() == OutcomeKind::timed_out) continue; // another time it may have more
      const std::string identity = identity_of(record);
      records_.emplace(identity, std::make_shared<const Json>(std::move(record)));
    } catch (const std::exception& error) { // of the parser, or an outcome that is none
      throw InvalidInput(field, file, fmt::format("line {} is no record: {}", i + 1, error.what()));
    }
}

const Json* KeptRecords::find(const Record& to_make) const {
  if (records_.empty()) return nullptr;
  const auto found = records_.find(identity_of(to_json(to_make)));
  return found == records_.end() ? nullptr : found->second.get();
}

Outcome outcome_of(const Json& record) {
  const OutcomeKind kind = outcome_from_string(record.at("outcome").get<std::string>());
  if (kind == OutcomeKind::passed) return Outcome::passed();
  return Outcome::failed(kind, record.at("reason").get<std::string>());
}

std::string digest_of_folder(const std::filesystem::path& folder) {
  std::set<std::string> files;
  std::error_code error; // of a folder that is none, which fails when it is loaded
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::error_code of_file;
    files.insert(fmt::format("{} {} {}", entry.path().filename().string(), entry.file_size(of_file),
                             entry.last_write_time(of_file).time_since_epoch().count()));
  }
  size_t digest = 0;
  for (const std::string& file : files) digest = digest * 31 + std::hash<std::string>{}(file);
  return fmt::format(" # {} {:016x}", std::filesystem::absolute(folder, error).string(), digest);
}

} // namespace fmha950::harness
