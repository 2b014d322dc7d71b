#include "workload/json_file.hpp"

#include "interface/regular_file.hpp"

#include <fstream>
#include <set>

namespace fmha950::workload {
namespace {

class KeysOnce {
 public:
  explicit KeysOnce(std::string file) : file_(std::move(file)) {}

  // Throws InvalidInput for a key that its object has had before.
  void see(nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using enum nlohmann::json::parse_event_t;
    if (event == object_start) open_.emplace_back();
    if (event == object_end) open_.pop_back();
    if (event != key) return;
    Object& object = open_.back();
    object.key = parsed.get<std::string>();
    if (object.keys.insert(object.key).second) return;
    std::vector<std::string_view> path;
    for (const Object& outer : open_) path.push_back(outer.key);
    throw InvalidInput(fmt::format("{}: {}", file_, fmt::join(path, ".")), "given twice",
                       "must be there once");
  }

 private:
  struct Object {
    std::string key; // the latest
    std::set<std::string> keys;
  };
  std::string file_;
  std::vector<Object> open_;
};

} // namespace

nlohmann::json read_json_file(const std::string& field, const std::filesystem::path& path) {
  require_regular_file(field, path);
  std::ifstream file(path);
  if (!file) throw InvalidInput(field, path.string(), "cannot be read");
  constexpr int deepest = 32; // what prints a value recurses
  KeysOnce keys(path.filename().string());
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (depth > deepest)
      throw InvalidInput(field, path.string(), fmt::format("is nested deeper than {} levels", deepest));
    keys.see(event, parsed);
    return true;
  };
  try {
    return nlohmann::json::parse(file, check);
  } catch (const nlohmann::json::exception& error) { // numbers that no double holds are no parse_error
    throw InvalidInput(field, path.string(), fmt::format("is not JSON: {}", error.what()));
  }
}

std::filesystem::path file_inside(const std::filesystem::path& folder, const JsonField& field) {
  const std::filesystem::path file = field.text();
  if (file.empty() || file.is_absolute() || std::ranges::find(file, "..") != file.end())
    field.refuse("must be a file inside the folder");
  return folder / file;
}

} // namespace fmha950::workload
